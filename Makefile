# SPDX-License-Identifier: GPL-2.0-only
# make help lists the targets. V=1 shows the commands; SANITIZE=1 builds with address and UB sanitizers, FUZZ=1 for
# libFuzzer (clang).

PREFIX     ?= /usr
SYSCONFDIR ?= /etc
PKG_CONFIG ?= pkg-config
INSTALL    ?= install
DATADIR     = $(PREFIX)/share
LIBEXECDIR  = $(PREFIX)/libexec/schedqos
MANDIR     ?= $(DATADIR)/man
USERUNITDIR ?= $(call directory,systemd,systemduserunitdir,$(PREFIX)/lib/systemd/user)
UNITDIR    ?= $(call directory,systemd,systemdsystemunitdir,$(PREFIX)/lib/systemd/system)
SYSUSERDIR ?= $(call directory,systemd,sysusersdir,$(PREFIX)/lib/sysusers.d)
BASHDIR    ?= $(call directory,bash-completion,completionsdir,$(DATADIR)/bash-completion/completions)
FISHDIR    ?= $(call directory,fish,completionsdir,$(DATADIR)/fish/vendor_completions.d)
# Debian's zsh looks for packages' completions in a folder of its own.
ZSHDIR     ?= $(DATADIR)/zsh/$(if $(and $(filter /usr,$(PREFIX)),$(wildcard /etc/debian_version)),vendor-completions,site-functions)
# The release, for the program, the manual, the packages and the tarball. src/doc/NEWS begins with both.
RELEASE    := 0.2.0
RELEASED   := November 22, 2026
# Told where the repository is, git does not mind that root builds in somebody else's.
GIT        := git --git-dir=.git
# In a repository what is not just the release says so: 0.2.0+9a26763-dirty.
VERSION    := $(RELEASE)$(shell $(GIT) describe --tags --always --dirty --match 'v$(RELEASE)' 2>/dev/null | \
	sed 's/^v$(RELEASE)-*//; s/^./+&/')

# A directory as package $(1) names it in its variable $(2), moved under PREFIX; $(3) without the package.
directory = $(shell $(PKG_CONFIG) --define-variable=prefix=$(PREFIX) --define-variable=rootprefix=$(PREFIX) \
	--define-variable=root_prefix=$(PREFIX) --define-variable=datadir=$(DATADIR) --variable=$(2) $(1) 2>/dev/null || echo $(3))

B := build$(if $(SANITIZE),/sanitize)$(if $(COVERAGE),/coverage)$(if $(FUZZ),/fuzz)
PACKAGES := libnl-3.0 libnl-genl-3.0 libcjson libsystemd

SANITIZE_FLAGS := -fsanitize=address,undefined -fno-omit-frame-pointer -fno-sanitize-recover=undefined

ifdef FUZZ
CC := clang
endif

CFLAGS   ?= -O2 -g
override CFLAGS += -std=gnu11 -pthread -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes \
	$(if $(SANITIZE)$(FUZZ),$(SANITIZE_FLAGS)) \
	$(if $(FUZZ),-fsanitize=fuzzer-no-link) \
	$(if $(COVERAGE),--coverage -O0)
override CPPFLAGS += -D_GNU_SOURCE -Iinclude -MMD -MP \
	-DDATADIR='"$(DATADIR)"' -DSYSCONFDIR='"$(SYSCONFDIR)"' -DLIBEXECDIR='"$(LIBEXECDIR)"' \
	$(shell $(PKG_CONFIG) --cflags $(PACKAGES) 2>/dev/null)
LDLIBS   := $(shell $(PKG_CONFIG) --libs $(PACKAGES) 2>/dev/null)

Q := $(if $(V),,@)
say = $(if $(V),,@printf '  %-7s %s\n' $(1) $(2))

# The program of a session, which needs a desktop's libraries, is built where these are.
FOCUS_PACKAGES := libcjson libsystemd xcb xcb-res libpipewire-0.3
FOCUS_SOURCES := $(wildcard src/focus/*.c)
FOCUS      := $(if $(FUZZ),,$(shell $(PKG_CONFIG) --exists $(FOCUS_PACKAGES) 2>/dev/null && echo $B/schedqos-focus))

SOURCES    := $(filter-out $(FOCUS_SOURCES),$(wildcard src/*/*.c))
OBJECTS    := $(SOURCES:%.c=$B/%.o)
LIBRARY    := $B/libschedqos.a
UNIT_TESTS := $(patsubst tests/unit/%.c,$B/tests/unit/%,$(wildcard tests/unit/test_*.c))
CONFIGS    := $(patsubst configs/%,%,$(wildcard configs/*.json configs/*/*.json))
FUZZERS    := $(patsubst tests/fuzz/%.c,$B/tests/fuzz/%,$(wildcard tests/fuzz/fuzz_*.c))
FUZZ_PARTS := $B/tests/fuzz/fuzz.o
UNIT_FAKES := $B/tests/unit/test.o $(patsubst tests/unit/%.c,$B/tests/unit/%.o,$(wildcard tests/unit/fake_*.c))

all: $B/schedqos $(FOCUS) ## build the program

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 14

$B/schedqos: $B/src/cli/main.o $(LIBRARY)
	$(call say,LD,$@)
	$Q$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS)

$(LIBRARY): $(filter-out %/main.o,$(OBJECTS))
	$(call say,AR,$@)
	$Qrm -f $@ && $(AR) rcs $@ $^

$B/schedqos-focus: $B/src/focus/main.o $B/libfocus.a $(LIBRARY)
	$(call say,LD,$@)
	$Q$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(shell $(PKG_CONFIG) --libs $(FOCUS_PACKAGES))

$B/libfocus.a: $(patsubst %.c,$B/%.o,$(filter-out %/main.c,$(FOCUS_SOURCES)))
	$(call say,AR,$@)
	$Qrm -f $@ && $(AR) rcs $@ $^

# Its headers use what ISO C has not.
$B/src/focus/%.o: override CPPFLAGS += $(shell $(PKG_CONFIG) --cflags $(FOCUS_PACKAGES) 2>/dev/null | sed 's/-I/-isystem /g')

# What is compiled in. A change of a folder rebuilds all, which takes seconds.
SETTINGS := $(DATADIR) $(SYSCONFDIR) $(LIBEXECDIR)
$B/settings: CONTENT = $(SETTINGS)
$B/version: CONTENT = $(VERSION)
$B/settings $B/version: FORCE
	@mkdir -p $(@D); echo '$(CONTENT)' | cmp -s - $@ || echo '$(CONTENT)' > $@

$B/src/util/version.o: $B/version
$B/src/util/version.o: override CPPFLAGS += -DVERSION='"$(VERSION)"'

$B/%.o: %.c $B/settings
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$Q$(CC) $(CPPFLAGS) $(CFLAGS) -c -o $@ $<

# cmocka 2.0 wants other names than assert_in_range, which 1.1 does not have.
$B/tests/%.o: override CPPFLAGS += -DCMOCKA_DISABLE_DEPRECATION_WARNINGS

$B/tests/unit/%: $B/tests/unit/%.o $(UNIT_FAKES) $(LIBRARY)
	$(call say,LD,$@)
	$Q$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS) $(shell $(PKG_CONFIG) --libs cmocka)

# The part without a desktop's libraries.
$B/tests/unit/test_shown: $B/src/focus/shown.o

$B/tests/fuzz/fuzz_plan: $(addprefix $B/tests/,fuzz/plan_machine.o fuzz/plan_user.o fuzz/plan_asked.o unit/fake_machine.o unit/fake_daemon.o)
$B/tests/fuzz/fuzz_focus: $(patsubst %,$B/src/focus/%.o,shown focus kwin sockets)
$B/tests/fuzz/fuzz_%: $B/tests/fuzz/fuzz_%.o $(FUZZ_PARTS) $(LIBRARY)
	$(call say,LD,$@)
	$Q$(CC) $(CFLAGS) $(LDFLAGS) -fsanitize=fuzzer -o $@ $(filter %.o,$^) $(LIBRARY) $(LDLIBS) $(shell $(PKG_CONFIG) --libs cmocka)

run: all ## run the daemon in the foreground on the shipped configs (root)
	$Qrm -rf $B/configs && for file in $(CONFIGS); do $(INSTALL) -D -m 644 configs/$$file $B/configs/$$file; done
	$Q$B/schedqos start -v --configs-path $B/configs

SANITIZED ?= yes
LIVE ?= yes

check: all unit-tests bench-tools ## all tests: layering, unit tests, live tests (root), and these again with sanitizers
	$QSANITIZED=$(SANITIZED) LIVE=$(LIVE) tests/check $B

LIVE_TOOLS := $(addprefix $B/tests/,$(addprefix live/,actor asker manager patient) desktop/bridge)

unit-tests: $(UNIT_TESTS) $(LIVE_TOOLS)

# They run whatever the sanitizers do not: they fork in every way there is.
$(LIVE_TOOLS): SANITIZE_FLAGS :=
$(LIVE_TOOLS): %: %.o
	$(call say,LD,$@)
	$Q$(CC) $(CFLAGS) $(LDFLAGS) -pthread -o $@ $^ $(LDLIBS)

check-vm: all unit-tests ## all tests on other kernels, in QEMU (root, 30 minutes, .ci/deps --vm; KERNELS="6.1 7", QUICK=1)
	$Qtests/vm/run --build $B $(if $(QUICK),--quick) $(KERNELS)

check-lab: all bench-tools ## the tests in virtual time: the same bytes twice, no harm, the daemon's costs (.ci/deps --lab)
	$QSCHEDQOS=$B/schedqos tests/lab/run.py

# By the commands that stand above the tables. A table with other programs is left out, because it needs them.
lab-figures: all bench-tools ## write the tables in virtual time into src/doc/lab.md (an hour and a half)
	$Qsed -n '/cmd:/d; s/^`schedqos-bench \(lab [^`]*\)`: Linux.*/\1/p' src/doc/lab.md | while read -r words; do \
		bench/schedqos-bench $$words --build $B --figures src/doc/lab.md < /dev/null > /dev/null || exit 1; done

FUZZ_SECONDS ?= 60

fuzzers: $(FUZZERS)

fuzz: ## fuzz what reads foreign bytes (clang; FUZZ_SECONDS=60 for each, FUZZ_ONLY="config plan")
	$Q+$(MAKE) -s FUZZ=1 B=$B/fuzz fuzzers
	$Qtests/fuzz/run $B/fuzz $(FUZZ_SECONDS) $(FUZZ_ONLY)

lint: ## compilers, cppcheck, clang-tidy, shellcheck: no warning
	$Qtests/lint

coverage: ## line coverage of src/policy and src/config by the unit tests
	$Qtests/coverage

BENCH_TOOLS := $(addprefix $B/bench/bench-,forks execs threads renames tiny other probe probed listener frames sound shell turns attr build requests)
BENCH_OBJECTS := $(patsubst %.c,$B/%.o,$(wildcard bench/tools/*.c))

$(BENCH_TOOLS): $B/bench/tools/bench.o
	$(call say,LD,$@)
	$Q$(CC) $(CFLAGS) $(LDFLAGS) $(STATIC) -o $@ $^

# What is started over and over, or measured from its first instruction on, should not wait for a dynamic linker.
$(addprefix $B/bench/bench-,tiny other probed build): STATIC = $(shell echo 'int main(void) { return 0; }' | \
	$(CC) -static -xc - -o /dev/null 2>/dev/null && echo -static)
$(addprefix $B/bench/bench-,forks execs threads renames): $B/bench/bench-%: $B/bench/tools/storm_%.o $B/bench/tools/storm.o
$(addprefix $B/bench/bench-,tiny other): $B/bench/tools/tiny.o
$(addprefix $B/bench/bench-,probe probed turns attr build): $B/bench/bench-%: $B/bench/tools/%.o
$B/bench/bench-listener: $B/bench/tools/listener.o
$B/bench/bench-requests: $(addprefix $B/bench/tools/,requests.o histogram.o)
# One program under the names of three: rules go by names.
$(addprefix $B/bench/bench-,frames sound shell): $(addprefix $B/bench/tools/,periodic.o histogram.o)

bench-tools: all $(BENCH_TOOLS)

bench: bench-tools ## the announcement's two comparisons, and where the report is (root, 15 minutes; make bench-deps)
	$Qbench/schedqos-bench run --build $B --prepare $(BENCH_FLAGS) cyclictest schbench

bench-events: bench-tools ## what events cost on this hardware, next to a bare listener (root, 5 minutes)
	$Qbench/schedqos-bench run --build $B $(BENCH_FLAGS) events

figures: ## write the tables and plots of the documentation from the raw values in bench/data
	$Qbench/schedqos-bench figures

measure: bench-tools ## measure these raw values on a quiet machine (root, hours; TABLES="browser schbench" for some; RIVALS=cmd:NAME=COMMAND)
	$Qbench/schedqos-bench figures --measure $(if $(RIVALS),--more "$(RIVALS)") $(TABLES)

# SOURCE:DESTINATION of what is installed beside the program.
PAGES := $(filter-out %/schedqos-bench.1 %/org.schedqos1.5,$(wildcard src/man/*))
DESKTOP_UNIT := systemd/schedqos-bridge.service
TEXTS = $(foreach unit,$(filter-out $(DESKTOP_UNIT),$(wildcard systemd/*.service systemd/*.timer)),$(unit):$(UNITDIR)/$(notdir $(unit))) \
	$(foreach page,$(PAGES),$(page):$(MANDIR)/man$(subst .,,$(suffix $(page)))/$(notdir $(page))) \
	systemd/desktop/schedqos.sysusers:$(SYSUSERDIR)/schedqos.conf \
	src/completion/schedqos.bash:$(BASHDIR)/schedqos \
	src/completion/schedqos.zsh:$(ZSHDIR)/_schedqos src/completion/schedqos.fish:$(FISHDIR)/schedqos.fish \
	$(foreach file,$(CONFIGS),configs/$(file):$(DATADIR)/schedqos/$(file))
# What an earlier version installed, and the daemon would go on reading.
FORMER := $(DATADIR)/schedqos/app_configs/bench.json
# Texts name the usual paths; what is installed names those of this installation.
TITLES := s|^\.Dd .*|.Dd $(RELEASED)|; s|^\.Os .*|.Os "schedqos $(RELEASE)"|
PATHS := $(TITLES); s|/usr/bin/|$(PREFIX)/bin/|g; s|/usr/share/schedqos|$(DATADIR)/schedqos|g; s|/etc/schedqos|$(SYSCONFDIR)/schedqos|g
# A comment for each kind of rule, and no rule. What somebody has written there is kept.
SAMPLE := configs/schedqos.json.sample
CONFIG = $(DESTDIR)$(SYSCONFDIR)/schedqos.json

install: all ## install into DESTDIR and PREFIX
	$(call say,INSTALL,$(DESTDIR)$(PREFIX)/bin/schedqos)
	$Q$(INSTALL) -D -m 755 $B/schedqos "$(DESTDIR)$(PREFIX)/bin/schedqos"
	$Q$(INSTALL) -d "$(DESTDIR)$(SYSCONFDIR)/schedqos"
	$Qrm -f "$(DESTDIR)$(FORMER)"
	$Qset -e; for text in $(TEXTS); do target="$(DESTDIR)$${text#*:}"; sed '$(PATHS)' $${text%%:*} > $B/text; \
		$(INSTALL) -D -m 644 $B/text "$$target"; printf '  %-7s %s\n' INSTALL "$$target"; done
	$Qsed '$(PATHS)' $(SAMPLE) > $B/text; [ -e "$(CONFIG)" ] || $(INSTALL) -m 644 $B/text "$(CONFIG)"
	$Q[ -n "$(DESTDIR)" ] || printf '%s\n' '' 'Next:  sudo systemctl enable --now schedqos' \
		'       (without systemd: sudo schedqos start -d; where it runs already: sudo schedqos restart -d,' \
		'       or sudo systemctl daemon-reload && sudo systemctl restart schedqos)' \
		'Rules: $(SYSCONFDIR)/schedqos.json, see man schedqos.json'

# Only a daemon of the program that goes away is ended, by whoever started it.
uninstall: ## end the daemon and remove what was installed, but no folder that holds something else
	$Q[ -n "$(DESTDIR)" ] || .packaging/end-daemon "$(PREFIX)/bin/schedqos"
	$Qsed '$(PATHS)' $(SAMPLE) | cmp -s - "$(CONFIG)" && rm -f "$(CONFIG)" || :
	$Qrm -f "$(DESTDIR)$(PREFIX)/bin/schedqos"
	$Qrm -f "$(DESTDIR)$(LIBEXECDIR)/schedqos-focus" && rmdir "$(DESTDIR)$(LIBEXECDIR)" 2>/dev/null || :
	$Qfor text in $(TEXTS) $(DESKTOP_TEXTS) $(BENCH_TEXTS) :$(USERUNITDIR)/schedqos-focus.service :$(FORMER); do rm -f "$(DESTDIR)$${text#*:}"; done
	$Qcd "$(DESTDIR)$(DATADIR)/schedqos" 2>/dev/null && rmdir $(filter-out ./,$(sort $(dir $(CONFIGS)))) 2>/dev/null || :
	$Qrmdir "$(DESTDIR)$(DATADIR)/schedqos" "$(DESTDIR)$(SYSCONFDIR)/schedqos" 2>/dev/null || :
	$Qrmdir "$(DESTDIR)$(UNITDIR)/schedqos.service.d" 2>/dev/null || :
	$Q[ -n "$(DESTDIR)" ] || [ ! -d /run/systemd/system ] || systemctl daemon-reload || :
	$Qrm -rf "$(DESTDIR)$(BENCHDIR)" "$(DESTDIR)$(BENCHLIBDIR)" "$(DESTDIR)$(PREFIX)/bin/schedqos-bench"

# The bus reads no other prefix than /usr, nor does polkit before version 124.
DBUSDIR    ?= $(call directory,dbus-1,datadir,$(DATADIR))/dbus-1
POLKITDIR  ?= $(call directory,polkit-gobject-1,actiondir,$(DATADIR)/polkit-1/actions)
DESKTOP_TEXTS = $(DESKTOP_UNIT):$(UNITDIR)/$(notdir $(DESKTOP_UNIT)) \
	src/man/org.schedqos1.5:$(MANDIR)/man5/org.schedqos1.5 \
	systemd/desktop/org.schedqos1.service:$(DBUSDIR)/system-services/org.schedqos1.service \
	systemd/desktop/org.schedqos1.conf:$(DBUSDIR)/system.d/org.schedqos1.conf \
	systemd/desktop/org.schedqos1.policy:$(POLKITDIR)/org.schedqos1.policy \
	systemd/desktop/schedqos.service.conf:$(UNITDIR)/schedqos.service.d/desktop.conf \
	systemd/user/schedqos-weights.service:$(USERUNITDIR)/schedqos-weights.service \
	$(if $(FOCUS),systemd/user/schedqos-focus.service:$(USERUNITDIR)/schedqos-focus.service)

install-desktop: all ## install what lets users and desktops ask for classes, by the system bus, as well
	$Q$(if $(FOCUS),$(INSTALL) -D -m 755 $(FOCUS) "$(DESTDIR)$(LIBEXECDIR)/schedqos-focus")
	$Qset -e; for text in $(DESKTOP_TEXTS); do target="$(DESTDIR)$${text#*:}"; sed '$(PATHS)' $${text%%:*} > $B/text; \
		$(INSTALL) -D -m 644 $B/text "$$target"; printf '  %-7s %s\n' INSTALL "$$target"; done
	$Q[ -n "$(DESTDIR)" ] || printf '%s\n' '' 'Next:  sudo systemd-sysusers && sudo systemctl daemon-reload' \
		'       sudo systemctl reload dbus && sudo systemctl restart schedqos' \
		$(if $(FOCUS),'       systemctl --user enable --now schedqos-focus')

TARBALL = $B/dist/schedqos-$(RELEASE).tar

# The same bytes wherever and whenever it is made from a commit: no name of a user, no time but the commit's.
dist: ## make the tarball of what is committed, in build/dist
	@mkdir -p $B/dist
	$Q$(GIT) -c tar.umask=0022 archive --format=tar --prefix=schedqos-$(RELEASE)/ -o $(TARBALL) HEAD
	$Qgzip -9nkf $(TARBALL)
	$Qcommand -v xz > /dev/null && xz -9kf -T1 $(TARBALL) || :
	$Qrm $(TARBALL)
	$Qfor tarball in $(TARBALL).*; do printf '  %-7s %s\n' DIST "$$tarball"; done

distcheck: ## build, test, install and uninstall what is in the tarball
	$Q+tests/dist

# The programs are not for people to call, so they are in no folder of the path.
BENCHDIR = $(DATADIR)/schedqos-bench
BENCHLIBDIR = $(PREFIX)/libexec/schedqos-bench
BENCH_TEXTS = src/man/schedqos-bench.1:$(MANDIR)/man1/schedqos-bench.1 \
	$(foreach file,$(patsubst bench/%,%,$(wildcard bench/schedqos_bench/*.py bench/schedqos_bench/*/*.py \
	bench/schedqos_bench/*/*/*.py bench/schedqos_bench/lab/guest/* bench/schedqos_bench/*.html)),bench/$(file):$(BENCHDIR)/$(file))

install-bench: bench-tools ## install schedqos-bench, which measures, as well
	$(call say,INSTALL,$(DESTDIR)$(PREFIX)/bin/schedqos-bench)
	$Qset -e; for text in $(BENCH_TEXTS); do sed '$(TITLES)' $${text%%:*} > $B/text; \
		$(INSTALL) -D -m 644 $B/text "$(DESTDIR)$${text#*:}"; done
	$Q$(INSTALL) -m 755 bench/schedqos-bench "$(DESTDIR)$(BENCHDIR)/schedqos-bench"
	$Qchmod 755 "$(DESTDIR)$(BENCHDIR)/schedqos_bench/lab/guest/init"
	$Q$(INSTALL) -d "$(DESTDIR)$(BENCHLIBDIR)/bench" "$(DESTDIR)$(PREFIX)/bin"
	$Q$(INSTALL) -m 755 $(BENCH_TOOLS) "$(DESTDIR)$(BENCHLIBDIR)/bench"
	$Qln -sf ../../bin/schedqos "$(DESTDIR)$(BENCHLIBDIR)/schedqos"
	$Qln -sf ../share/schedqos-bench/schedqos-bench "$(DESTDIR)$(PREFIX)/bin/schedqos-bench"

# Packages of the tree as it is, its upstream tarball included: debian/ is .debian here. DEB_VERSION takes the place of the
# changelog's.
TREE = tar --exclude=.git --exclude=./.cache --exclude=./build --exclude=__pycache__
deb: ## build the Debian packages, in build/deb
	$(call say,DEB,$B/deb)
	$Qrm -rf $B/deb && mkdir -p $B/deb/schedqos
	$Q$(TREE) --exclude=./.ci --exclude=./.gitignore -cf - . | tar -xf - -C $B/deb/schedqos
	$Qcd $B/deb/schedqos && mv .debian debian
	$Q$(if $(DEB_VERSION),sed -i '1s/(.*)/($(DEB_VERSION))/' $B/deb/schedqos/debian/changelog)
	$Qcd $B/deb/schedqos && version=$$(sed -n '1s/.*(\(.*\)-[^-]*).*/\1/p' debian/changelog) && tar --exclude=./debian --sort=name \
		--owner=0 --group=0 --numeric-owner --transform="s|^\.|schedqos-$$version|" \
		-cJf ../schedqos_$$version.orig.tar.xz .
	$Qcd $B/deb/schedqos && env -u MAKEFLAGS -u MFLAGS dpkg-buildpackage -us -uc > ../build.log 2>&1 || \
		{ tail -n 40 ../build.log; exit 1; }

check-deb: ## build the Debian packages and look at them
	$Qtests/deb

check-rpm: ## build the packages for Fedora, where there is rpmbuild, and the policy module, where there is a policy
	$Qtests/rpm

check-long: ## what takes longer: coverage, tarball, packages, other kernels and systems, fuzzing (root, two hours)
	$Q.ci/long

SUITE ?= bookworm trixie sid noble resolute

check-fresh: ## `make check` in bare systems, of what is committed (root, 6 minutes each; SUITE="trixie sid")
	$Qfailed=; for suite in $(SUITE); do echo "$$suite:"; tests/fresh $$suite; status=$$?; \
		[ $$status -eq 0 ] || [ $$status -eq 77 ] || failed="$$failed $$suite"; done; \
		[ -z "$$failed" ] || { echo "failed in:$$failed"; exit 1; }

deps: ## install what building and testing needs (root)
	$Q.ci/deps

bench-deps: ## install what the scenarios of bench/schedqos-bench need (root)
	$Q.ci/deps --bench

clean: ## remove what was built
	rm -rf build

FORCE:
.PHONY: all bench check-lab lab-figures bench-tools bench-events figures measure help run check check-vm check-deb check-rpm check-fresh check-long unit-tests fuzz fuzzers lint coverage install install-bench install-desktop uninstall dist distcheck deb deps bench-deps clean FORCE
.SECONDARY:
-include $(OBJECTS:.o=.d) $(FOCUS_SOURCES:%.c=$B/%.d) $(BENCH_OBJECTS:.o=.d) $(UNIT_TESTS:=.d) $(UNIT_FAKES:.o=.d) \
	$(FUZZERS:=.d) $(FUZZ_PARTS:.o=.d) $(LIVE_TOOLS:=.d)
