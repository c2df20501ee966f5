# SPDX-License-Identifier: GPL-2.0-only
# make help lists the targets. V=1 shows the commands; SANITIZE=1 builds with address and UB sanitizers.

PREFIX     ?= /usr
SYSCONFDIR ?= /etc
PKG_CONFIG ?= pkg-config
INSTALL    ?= install
DATADIR     = $(PREFIX)/share
UNITDIR    ?= $(shell $(PKG_CONFIG) --variable=systemdsystemunitdir systemd 2>/dev/null || echo $(PREFIX)/lib/systemd/system)
MANDIR     ?= $(DATADIR)/man
VERSION    := $(shell git describe --tags --always --dirty 2>/dev/null || echo 0.1)

B := build$(if $(SANITIZE),/sanitize)$(if $(COVERAGE),/coverage)
PACKAGES := libnl-3.0 libcjson libsystemd

SANITIZE_FLAGS := -fsanitize=address,undefined -fno-omit-frame-pointer -fno-sanitize-recover=undefined

CFLAGS   ?= -O2 -g
override CFLAGS += -std=gnu11 -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes \
	$(if $(SANITIZE),$(SANITIZE_FLAGS)) \
	$(if $(COVERAGE),--coverage -O0)
override CPPFLAGS += -D_GNU_SOURCE -Iinclude -MMD -MP -DVERSION='"$(VERSION)"' \
	-DDATADIR='"$(DATADIR)"' -DSYSCONFDIR='"$(SYSCONFDIR)"' \
	$(shell $(PKG_CONFIG) --cflags $(PACKAGES) 2>/dev/null)
LDLIBS   := $(shell $(PKG_CONFIG) --libs $(PACKAGES) 2>/dev/null)

Q := $(if $(V),,@)
say = $(if $(V),,@printf '  %-7s %s\n' $(1) $(2))

SOURCES    := $(wildcard src/*/*.c)
OBJECTS    := $(SOURCES:%.c=$B/%.o)
LIBRARY    := $B/libschedqos.a
UNIT_TESTS := $(patsubst tests/unit/%.c,$B/tests/unit/%,$(wildcard tests/unit/test_*.c))

all: $B/schedqos ## build the program

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 14

$B/schedqos: $B/src/cli/main.o $(LIBRARY)
	$(call say,LD,$@)
	$Q$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS)

$(LIBRARY): $(filter-out %/main.o,$(OBJECTS))
	$(call say,AR,$@)
	$Qrm -f $@ && $(AR) rcs $@ $^

# The version is compiled into few files; a new one rebuilds all, which takes seconds.
$B/version: FORCE
	@mkdir -p $(@D); echo '$(VERSION)' | cmp -s - $@ || echo '$(VERSION)' > $@

$B/%.o: %.c $B/version
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$Q$(CC) $(CPPFLAGS) $(CFLAGS) -c -o $@ $<

$B/tests/unit/%: $B/tests/unit/%.o $(LIBRARY)
	$(call say,LD,$@)
	$Q$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS) $(shell $(PKG_CONFIG) --libs cmocka)

run: all ## run the daemon in the foreground on the shipped configs (root)
	$Qrm -rf $B/configs && mkdir -p $B && $(INSTALL) -d $B/configs
	$Qcp -r configs/. $B/configs && chmod -R go-w $B/configs
	$B/schedqos start -v --configs-path $B/configs

check: all unit-tests ## all tests: layering, unit tests, live tests (root), and these again with sanitizers
	$Qtests/check $B

unit-tests: $(UNIT_TESTS)

lint: ## compilers, cppcheck, clang-tidy, shellcheck: no warning
	$Qtests/lint

coverage: ## line coverage of src/policy by the unit tests
	$Qtests/coverage

install: all ## install into DESTDIR and PREFIX
	$(INSTALL) -D -m 755 $B/schedqos $(DESTDIR)$(PREFIX)/bin/schedqos
	$(INSTALL) -d $(DESTDIR)$(SYSCONFDIR)/schedqos
	cd configs && find . -name '*.json' -exec $(INSTALL) -D -m 644 {} $(DESTDIR)$(DATADIR)/schedqos/{} \;

uninstall: ## remove what install installed
	rm -f $(DESTDIR)$(PREFIX)/bin/schedqos
	rm -rf $(DESTDIR)$(DATADIR)/schedqos
	-rmdir $(DESTDIR)$(SYSCONFDIR)/schedqos 2>/dev/null

deps: ## install what building and testing needs (root)
	.ci/deps

clean: ## remove what was built
	rm -rf build

FORCE:
.PHONY: all help run check unit-tests lint coverage install uninstall deps clean FORCE
.SECONDARY:
-include $(OBJECTS:.o=.d) $(UNIT_TESTS:=.d)
