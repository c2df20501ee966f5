/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sends requests to an HTTP server on 127.0.0.1 at a fixed rate, however long its answers take (an open loop):
 * request k is due at start + k / rate and goes out on the next of the kept-open connections that
 * is free. Its latency counts from when it was due. Counted from when it could be sent, a server
 * that stalls would have to answer for one request on each connection only, and not for all those
 * that meanwhile had to wait (coordinated omission); those figures are printed for comparison.
 *
 * One thread. The caller has to make sure that it does not itself wait for a CPU; "behind" in what
 * it prints, the time from due to sent where a connection was free all along, shows whether it did.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "bench.h"
#include "histogram.h"
#include "http_response.h"

#define NS_PER_SEC 1000000000ULL

#define RATE_MAX	1000000
#define SECONDS_MAX	3600
#define CONNECTIONS_MAX 4096
#define PATHS_MAX	64
#define REQUEST_MAX	512
#define EVENTS_MAX	64

struct options {
	uint16_t port;
	uint64_t rate, seconds, warm_up, patience; /* per second; seconds */
	unsigned connections, paths;
	char **path;
};

struct connection {
	int fd;
	uint64_t request, sent_ns; /* which one it carries, and since when */
	bool busy;
	struct connection *next; /* in the queue of the free ones */
	struct http_response response;
};

struct load {
	struct options options;
	int epoll;
	struct connection *connections;
	/*
	 * Taken from the front and given back at the end, so that all connections get the same
	 * share of the requests, and with them all of the server's workers. An idle one on top
	 * would get nearly all.
	 */
	struct connection *free_first, **free_end;
	uint64_t free_since_ns; /* the front has not been empty since */
	uint64_t start_ns, next, count, first_counted, finished;
	uint64_t bytes;
	struct histogram latency, from_sending, behind;
	char requests[PATHS_MAX][REQUEST_MAX];
};

static void give_up(const char *what)
{
	fprintf(stderr, "%s: %s\n", program_invocation_short_name, what);
	exit(1);
}

/* Exact, and without overflow for as many requests as there can be. */
static uint64_t due_ns(const struct load *load, uint64_t request)
{
	uint64_t rate = load->options.rate;

	return load->start_ns + request / rate * NS_PER_SEC + request % rate * NS_PER_SEC / rate;
}

/*
 * Which path a request asks for: always the same for the same request, but in no step with the
 * connections, or some of them would get all the expensive requests (the finalizer of splitmix64).
 */
static const char *text_of(const struct load *load, uint64_t request)
{
	uint64_t mixed = request + 1;

	mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9;
	mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111eb;
	mixed ^= mixed >> 31;
	return load->requests[mixed % load->options.paths];
}

static void free_connection(struct load *load, struct connection *connection, uint64_t now)
{
	if (!load->free_first)
		load->free_since_ns = now;
	connection->busy = false;
	connection->next = NULL;
	*load->free_end = connection;
	load->free_end = &connection->next;
}

static struct connection *take_free(struct load *load)
{
	struct connection *connection = load->free_first;

	load->free_first = connection->next;
	if (!load->free_first)
		load->free_end = &load->free_first;
	return connection;
}

static void send_request(struct load *load, uint64_t now)
{
	uint64_t request = load->next++, due = due_ns(load, request);
	struct connection *connection = take_free(load);
	const char *text = text_of(load, request);
	size_t size = strlen(text);

	connection->request = request;
	connection->busy = true;
	memset(&connection->response, 0, offsetof(struct http_response, line));
	if (send(connection->fd, text, size, MSG_NOSIGNAL) != (ssize_t)size)
		die("send");
	connection->sent_ns = now;
	if (request >= load->first_counted && load->free_since_ns <= due)
		histogram_add(&load->behind, now - due);
}

static void count_latency(struct load *load, const struct connection *connection, uint64_t now)
{
	if (connection->request < load->first_counted)
		return;
	histogram_add(&load->latency, now - due_ns(load, connection->request));
	histogram_add(&load->from_sending, now - connection->sent_ns);
}

static void receive(struct load *load, struct connection *connection)
{
	static char piece[256 * 1024];
	ssize_t size = recv(connection->fd, piece, sizeof(piece), MSG_DONTWAIT);
	uint64_t now = now_ns();

	if (size < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (size < 0)
		die("recv");
	if (size == 0)
		give_up("the server closed a connection");
	load->bytes += (uint64_t)size;
	if (!connection->busy ||
	    http_response_take(&connection->response, piece, (size_t)size) != (size_t)size ||
	    connection->response.state == HTTP_WRONG)
		give_up("the server sent what is no HTTP/1.1 response with an end");
	if (connection->response.state != HTTP_DONE)
		return;
	if (connection->response.status != 200) {
		fprintf(stderr, "%s: status %u\n", program_invocation_short_name,
			connection->response.status);
		exit(1);
	}
	load->finished++;
	count_latency(load, connection, now);
	free_connection(load, connection, now);
}

/* The time until there is something to do: a request is due that can be sent, or the timeout expires. */
static struct timespec time_left(const struct load *load, uint64_t now, uint64_t end)
{
	uint64_t until = end;

	if (load->next < load->count && load->free_first)
		until = due_ns(load, load->next);
	until = until > now ? until - now : 0;
	return (struct timespec){ .tv_sec = (time_t)(until / NS_PER_SEC),
				  .tv_nsec = (long)(until % NS_PER_SEC) };
}

static void run(struct load *load)
{
	uint64_t end, now = now_ns();
	struct epoll_event events[EVENTS_MAX];

	load->start_ns = now;
	end = due_ns(load, load->count) + load->options.patience * NS_PER_SEC;
	while (load->finished < load->count && now < end) {
		struct timespec left;
		int ready;

		while (load->next < load->count && load->free_first &&
		       due_ns(load, load->next) <= now) {
			send_request(load, now);
			now = now_ns();
		}
		left = time_left(load, now, end);
		ready = epoll_pwait2(load->epoll, events, EVENTS_MAX, &left, NULL);
		if (ready < 0 && errno != EINTR)
			die("epoll_pwait2");
		for (int i = 0; i < ready; i++)
			receive(load, events[i].data.ptr);
		now = now_ns();
	}
}

/*
 * A request that was never answered has waited at least until now. Left out, it would make a server that hangs look
 * better than a slow one.
 */
static void count_unanswered(struct load *load)
{
	uint64_t now = now_ns();

	for (unsigned i = 0; i < load->options.connections; i++) {
		if (load->connections[i].busy)
			count_latency(load, &load->connections[i], now);
	}
	for (; load->next < load->count; load->next++)
		if (load->next >= load->first_counted)
			histogram_add(&load->latency, now - due_ns(load, load->next));
}

static void open_connection(struct load *load, struct connection *connection)
{
	struct sockaddr_in address = { .sin_family = AF_INET,
				       .sin_port = htons(load->options.port),
				       .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	struct epoll_event event = { .events = EPOLLIN, .data.ptr = connection };
	int one = 1;

	connection->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (connection->fd < 0)
		die("socket");
	if (connect(connection->fd, (struct sockaddr *)&address, sizeof(address)) < 0)
		die("connect to 127.0.0.1");
	if (setsockopt(connection->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one)) < 0)
		die("TCP_NODELAY");
	if (epoll_ctl(load->epoll, EPOLL_CTL_ADD, connection->fd, &event) < 0)
		die("epoll_ctl");
	free_connection(load, connection, 0);
}

static void write_requests(struct load *load)
{
	for (unsigned i = 0; i < load->options.paths; i++) {
		int size = snprintf(load->requests[i], REQUEST_MAX,
				    "GET %s HTTP/1.1\r\nHost: 127.0.0.1\r\n"
				    "Accept-Encoding: gzip\r\n\r\n",
				    load->options.path[i]);

		if (size < 0 || size >= REQUEST_MAX)
			give_up("a path is too long");
	}
}

static void prepare(struct load *load)
{
	const struct options *options = &load->options;

	load->free_end = &load->free_first;
	load->count = options->rate * (options->warm_up + options->seconds);
	load->first_counted = options->rate * options->warm_up;
	load->connections = calloc(options->connections, sizeof(*load->connections));
	load->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (!load->connections || load->epoll < 0)
		die("preparing");
	write_requests(load);
	for (unsigned i = 0; i < options->connections; i++)
		open_connection(load, &load->connections[i]);
	/* Without a real-time policy each wait would end up to 50 us late. */
	prctl(PR_SET_TIMERSLACK, 1);
}

static void print_result(const struct load *load)
{
	printf("{\"requests\": %" PRIu64 ", \"unanswered\": %" PRIu64 ", \"bytes\": %" PRIu64
	       ", \"seconds\": %.6f, \"policy\": %d,\n\"latency\": ",
	       load->count, load->count - load->finished, load->bytes,
	       (double)(now_ns() - load->start_ns) / (double)NS_PER_SEC, sched_getscheduler(0));
	histogram_print(&load->latency, stdout);
	printf(",\n\"from_sending\": ");
	histogram_print(&load->from_sending, stdout);
	printf(",\n\"behind\": ");
	histogram_print(&load->behind, stdout);
	printf("}\n");
}

static void usage(FILE *file)
{
	fprintf(file,
		"usage: bench-http-load --port PORT [OPTION]... PATH...\n"
		"Asks the server on 127.0.0.1 for a mix of the paths; prints JSON, times in us.\n"
		"  --port PORT      its port\n"
		"  --rate N         requests a second (1000; at most %d)\n"
		"  --seconds N      how long (10; at most %d)\n"
		"  --warm-up N      seconds before, which are not counted (1)\n"
		"  --connections N  kept open (64; at most %d)\n"
		"  --patience N     seconds to wait for the last answers (10)\n",
		RATE_MAX, SECONDS_MAX, CONNECTIONS_MAX);
}

static uint64_t at_least_one(const char *text, uint64_t max)
{
	uint64_t number = parse_number(text, max);

	if (!number) {
		errno = EINVAL;
		die(text);
	}
	return number;
}

static void parse_option(struct options *options, int option)
{
	switch (option) {
	case 'p':
		options->port = (uint16_t)at_least_one(optarg, UINT16_MAX);
		break;
	case 'r':
		options->rate = at_least_one(optarg, RATE_MAX);
		break;
	case 's':
		options->seconds = at_least_one(optarg, SECONDS_MAX);
		break;
	case 'w':
		options->warm_up = parse_number(optarg, SECONDS_MAX);
		break;
	case 'c':
		options->connections = (unsigned)at_least_one(optarg, CONNECTIONS_MAX);
		break;
	case 'a':
		options->patience = parse_number(optarg, SECONDS_MAX);
		break;
	case 'h':
		usage(stdout);
		exit(0);
	default:
		usage(stderr);
		exit(2);
	}
}

static void parse_options(struct options *options, int argc, char **argv)
{
	static const struct option known[] = {
		{ "port", required_argument, NULL, 'p' },
		{ "rate", required_argument, NULL, 'r' },
		{ "seconds", required_argument, NULL, 's' },
		{ "warm-up", required_argument, NULL, 'w' },
		{ "connections", required_argument, NULL, 'c' },
		{ "patience", required_argument, NULL, 'a' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	int option;

	while ((option = getopt_long(argc, argv, "", known, NULL)) != -1)
		parse_option(options, option);
	options->path = argv + optind;
	options->paths = (unsigned)(argc - optind);
	if (!options->port || !options->paths || options->paths > PATHS_MAX) {
		usage(stderr);
		exit(2);
	}
}

int main(int argc, char **argv)
{
	static struct load load = { .options = { .rate = 1000,
						 .seconds = 10,
						 .warm_up = 1,
						 .patience = 10,
						 .connections = 64 } };

	parse_options(&load.options, argc, argv);
	prepare(&load);
	run(&load);
	count_unanswered(&load);
	print_result(&load);
	return 0;
}
