# SPDX-License-Identifier: MIT
"""Clients of a proxy, told apart by the PROXY protocol header: who may send a header, which headers are valid, and that
a name in a header is treated as a user (limits, shares of devices, figures, memory). Health checks are answered while
every place is taken."""
import os
import select
import shutil
import signal
import tempfile
import threading
import time
import unittest

from support import *  # noqa: F403

ME = os.geteuid()
ODD = "the certificate's common name '%s' must consist of ASCII letters, digits and the characters . _ - + @ : /"
NOT_PERMITTED, SHUTDOWN, NO_SUCH_HANDLE = STATUS["NOT_PERMITTED"], STATUS["SHUTDOWN"], STATUS["NO_SUCH_HANDLE"]
LOCAL = proxy(None)
HEALTH = frame(INFO, 77, attr(27, U32, 2))


def stats(conn):
    conn.next += 1
    return figures(conn.ask(frame(INFO, conn.next, attr(27, U32, 3))))


class Proxied(Case):
    """This process is the proxy; the bystander sends a header without a name and so is the proxy itself."""

    ARGS = ("--proxy-users", str(ME))
    BEFORE = LOCAL

    def as_user(self, name, **options):
        return self.daemon.conn(before=proxy(name), **options)

    def logged(self, text):
        self.until(lambda: text in self.daemon.log(), lambda: "%r is not in the log:\n%s" % (text, self.daemon.log()))

    def refused(self, before, status, text, close=False):
        """A connection that begins with `data` gets one ERROR with id 0 and is closed."""
        with Conn(self.daemon.socket, greet=False, before=before) as c:
            if close:
                c.half_close()
            found = c.rest()
            self.assertEqual([(f.id, f.status, f.text) for f in found], [(0, status, text)], found)
            self.assertIsNone(found[0].get(4), "RETRY_MS where trying again does not help")


class Headers(Proxied):
    def test_a_name_is_the_user(self):
        with self.as_user("alice") as c:
            self.assertEqual(c.ask(cross(5)).payload, CROSS)
            told = stats(self.healthy)
            self.assertEqual(told["gpufilter_user_accepted_total", 'uid="CN=alice"'], 1)
            self.assertEqual(told["gpufilter_user_connections_total", 'uid="CN=alice"'], 1)
            self.assertEqual(told["gpufilter_user_held", 'uid="CN=alice",resource="connections"'], 1)
            self.assertGreater(told["gpufilter_user_front_seconds_total", 'uid="CN=alice"'], 0)
            self.assertEqual(told["gpufilter_user_held", 'uid="%d",resource="connections"' % ME], 1)
            c.send(b"no frame" * 8)
            self.expect_broken(c, BAD_FRAME)
        self.logged("connection closed: malformed frame uid=CN=alice pid=%d" % os.getpid())

    def test_a_name_sees_its_own_figures_alone(self):
        with self.as_user("carol") as carol, self.as_user("0") as zero:
            for c, label in ((carol, 'uid="CN=carol"'), (zero, 'uid="CN=0"')):
                told = [labels for _, labels in stats(c) if "uid=" in labels]
                self.assertTrue(told)
                self.assertEqual([t for t in told if not t.startswith(label)], [])

    def test_a_name_is_one_value_of_a_label(self):
        name = "svc/j.muller_2+x@host:7-Z"
        with self.as_user(name) as c:
            self.assertTrue(c.ping())
            self.assertIn(("gpufilter_user_frames_total", 'uid="CN=%s"' % name), stats(self.healthy))

    def test_in_pieces(self):
        """The header may arrive in pieces, cut anywhere up to the middle of the frame after it."""
        data = proxy("dora") + hello() + cross(5)
        for size in (1, 5, 16, 17, 40):
            with Conn(self.daemon.socket, greet=False) as c:
                for at in range(0, 120, size):
                    c.send(data[at:min(at + size, 120)])
                    if at < 40:
                        self.bystander()  # when it is answered, the daemon has read the piece
                c.send(data[120:])
                self.assertEqual(c.recv().kind, HELLO_REPLY)
                self.assertEqual(c.recv().payload, CROSS)

    def test_absent(self):
        text = "the connection does not begin with a PROXY protocol header"
        self.refused(hello(), BAD_FRAME, text)
        self.refused(b"G", BAD_FRAME, text)
        self.refused(b"\r\n\r\n\r", BAD_FRAME, text)
        self.refused(b"", BAD_FRAME, "the connection ended after 0 bytes of a PROXY protocol header", close=True)
        self.refused(proxy("alice")[:-1], BAD_FRAME,
                     "the connection ended after %d bytes of a PROXY protocol header" % (len(proxy("alice")) - 1),
                     close=True)

    def test_malformed(self):
        for before, text in (
                (b"PROXY TCP4 127.0.0.1 127.0.0.1 1 2\r\n", "a PROXY protocol header of version 1; must be version 2 "
                                                            "with the certificate's name (send-proxy-v2-ssl-cn)"),
                (proxy_head(0x21, 0x11, 2033), "a PROXY protocol header of 2049 bytes; allowed: up to 2048"),
                (proxy_head(0x11, 0, 0), "a PROXY protocol header of version 1; must be version 2"),
                (proxy_head(0x22, 0, 0), "malformed PROXY protocol header: command 2; allowed: 0 and 1"),
                (proxy_head(0x21, 0x51, 0),
                 "malformed PROXY protocol header: family and transport 0x51; allowed: 0..3 and 0..2"),
                (proxy_head(0x21, 0x11, 5) + bytes(5), "malformed PROXY protocol header: its addresses are truncated"),
                (proxy_head(0x21, 0, 4) + b"\x20\0\2x",
                 "malformed PROXY protocol header: TLV 0x20 extends past its container"),
                (proxy("a", more=tlv(0x22, b"b")), "malformed PROXY protocol header: TLV 0x22 appears twice")):
            self.refused(before, BAD_FRAME, text)

    def test_not_verified(self):
        for before, text in (
                (proxy_head(0x21, 0, 0), "the PROXY protocol header does not describe a TLS connection (no TLV 0x20); "
                                         "the proxy needs send-proxy-v2-ssl-cn"),
                (proxy("a", client=0), "the PROXY protocol header describes a client without TLS"),
                (proxy("a", client=1), "the PROXY protocol header describes a client without a certificate; the proxy "
                                       "needs verify required"),
                (proxy("a", verify=18), "the PROXY protocol header describes a certificate that failed verification: "
                                        "error 18"),
                (proxy(""), "the PROXY protocol header has no common name (TLV 0x22); the proxy needs "
                            "send-proxy-v2-ssl-cn"),
                (proxy("x" * 65), "the certificate's common name has 65 bytes; allowed: 1..64"),
                (proxy("a\nb"), ODD % "a?b"), (proxy(b"a\xff"), ODD % "a?"), (proxy("a,uid=root"), ODD % "a,uid=root"),
                (proxy("a b"), ODD % "a b"), (proxy("J\u00fcrgen"), ODD % "J\u00fcrgen")):
            self.refused(before, NOT_PERMITTED, text)

    def test_descriptor_with_the_header(self):
        with Conn(self.daemon.socket, greet=False) as c:
            null = os.open("/dev/null", os.O_RDWR)
            c.send(proxy("alice"), [null])
            os.close(null)
            self.assertEqual([(f.id, f.status) for f in c.rest()], [(0, BAD_FRAME)])
        self.logged("a descriptor came with the PROXY protocol header")

    def test_twice(self):
        for before, uid in ((proxy("alice") * 2, "CN=alice"), (LOCAL * 2, str(ME))):
            with Conn(self.daemon.socket, greet=False, before=before) as c:
                found = self.expect_broken(c, BAD_FRAME)
                self.assertEqual(found[0].text, "a second PROXY protocol header after the proxy's")
            self.logged("connection closed: a second PROXY protocol header after the proxy's uid=" + uid)

    def test_inline_data_of_another_name_is_cleared(self):
        secret = b"SECRET__" * 8192
        with self.as_user("alice") as a, self.as_user("bob") as b:
            for _ in range(3):
                self.assertEqual(a.ask(gaussian(50, 256, 256, secret, sigma=0.0)).payload, secret)
            got = b.ask(frame(RUN, 5, gaussian_body(16, 255, dst=(1, 0, 0, 0, 256)), bytes(16 * 255)))
            self.assertEqual((len(got.payload), got.payload.count(0)), (254 * 256 + 16,) * 2)

    def test_more_names_than_are_remembered(self):
        """Figures have a fixed size and lose nothing: a forgotten user is counted among the others."""
        before = stats(self.healthy)
        for i in range(1100):
            with self.as_user("many-%d" % i):
                pass
        with self.as_user("many-0") as c:
            self.assertTrue(c.ping())
            told = stats(self.healthy)
        counted = {labels: n for (name, labels), n in told.items() if name == "gpufilter_user_connections_total"}
        self.assertLessEqual(len(counted), 65)
        self.assertEqual(counted['uid="CN=many-0"'], 1)
        self.assertIn('uid="other"', counted)
        self.assertNotIn('uid="CN=?"', counted)
        self.assertEqual(sum(counted.values()), told["gpufilter_connections_total", ""])
        self.assertEqual(told["gpufilter_connections_total", ""] - before["gpufilter_connections_total", ""], 1101)


class Log(Proxied):
    """The log has every reason with the proxy's user, at most ten in five seconds from one place in the source."""

    ABSENT = "the connection does not begin with a PROXY protocol header"

    def test_reasons(self):
        for before, status, text in (
                (hello(), BAD_FRAME, self.ABSENT),
                (proxy_head(0x21, 0x11, 2033), BAD_FRAME, "a PROXY protocol header of 2049 bytes; allowed: up to 2048"),
                (proxy_head(0x22, 0, 0), BAD_FRAME, "malformed PROXY protocol header: command 2; allowed: 0 and 1"),
                (proxy("a", verify=18), NOT_PERMITTED,
                 "the PROXY protocol header describes a certificate that failed verification: error 18"),
                (proxy("a\nb"), NOT_PERMITTED, ODD % "a?b")):
            self.refused(before, status, text)
            self.logged("connection refused: %s uid=%d pid=%d\n" % (text, ME, os.getpid()))
        refused = {labels: n for (name, labels), n in stats(self.healthy).items()
                   if name == "gpufilter_connections_refused_total" and n != 0}
        self.assertEqual(refused, {'status="BAD_FRAME"': 3, 'status="NOT_PERMITTED"': 2})


class Slow(Proxied):
    ARGS = Proxied.ARGS + ("--frame-timeout", "0.2")

    def test_header_that_does_not_come(self):
        with Conn(self.daemon.socket, greet=False) as silent, Conn(self.daemon.socket, greet=False) as half:
            half.send(proxy("alice")[:30])
            for c in (silent, half):
                self.assertEqual([(f.id, f.status, f.text) for f in c.rest()],
                                 [(0, SLOW, "the PROXY protocol header did not arrive within 200 ms")])


class Ending(unittest.TestCase):
    def test_drain(self):
        """A daemon that ends tells connections without a known user, too, and does not wait for them."""
        d = Daemon(*Proxied.ARGS)
        with d.conn(before=LOCAL) as look, Conn(d.socket, greet=False) as c:
            end = time.monotonic() + WAIT
            while stats(look)["gpufilter_connections_open", ""] < 2:
                self.assertLess(time.monotonic(), end, "not accepted")
            look.close()
            stopped = threading.Thread(target=d.process.terminate)
            stopped.start()
            self.assertEqual([(f.id, f.status, f.text) for f in c.rest()], [(0, SHUTDOWN, "the server is shutting down")])
            stopped.join()
        d.stop()


class Strangers(Case):
    """A daemon without --proxy-users accepts no header."""

    def test_header_of_who_may_not(self):
        text = "a PROXY protocol header from uid %d, which is not in proxy-users" % ME
        for before in (proxy("alice"), LOCAL, b"PROXY UNKNOWN\r\n"):
            for after in (b"", hello()):
                with Conn(self.daemon.socket, greet=False, before=before + after) as c:
                    found = self.expect_broken(c, BAD_FRAME)
                    self.assertEqual(found[0].text, text)
        self.until(lambda: "connection closed: %s uid=%d pid=%d" % (text, ME, os.getpid()) in self.daemon.log(), "no log")

    def test_header_in_the_middle(self):
        """A header after a frame is neither a header nor a frame."""
        with self.daemon.conn() as c:
            c.send(proxy("alice"))
            self.assertNotIn("PROXY", self.expect_broken(c, BAD_FRAME)[-1].text)


class Limits(Proxied):
    """Four places for each user; two certificates through one proxy do not share them."""

    ARGS = Proxied.ARGS + ("--user-connections", "4", "--user-requests", "2", "--user-arena-bytes", "8192")

    def fill(self, name, n=4):
        held = [self.as_user(name, fd_passing=True) for _ in range(n)]
        for c in held:
            self.assertEqual(c.place().status, NO_SUCH_HANDLE)
            self.addCleanup(c.close)
        return held

    def no_place(self, name, text):
        with self.as_user(name) as c:
            got = c.place()
            self.assertEqual((got.status, got.text), (QUOTA, text))
            self.assertEqual(c.rest(), [])
        self.logged("connection refused: %s uid=CN=%s" % (text, name))

    def tearDown(self):
        self.doCleanups()
        super().tearDown()

    def test_each_name_has_its_own(self):
        full = "user CN=%s holds 4 connections; 1 more would exceed the limit of 4 (user-connections)"
        names = ("alice", "bob", str(ME))
        held = {name: self.fill(name) for name in names}
        self.bystander()  # the user of the uid, which is not the user of the name
        for name in names:
            self.no_place(name, full % name)
        fd = memfd(8192)
        for name in names:
            self.assertEqual(held[name][0].ask(arena_frame(5, 1, 8192), [fd]).kind, DONE)
            got = held[name][1].ask(arena_frame(5, 1, 1), [fd])
            self.assertEqual(got.status, QUOTA)
            self.assertIn("user CN=%s holds 8192 bytes of arenas" % name, got.text)
        os.close(fd)
        told = stats(self.healthy)
        for name in names:
            self.assertEqual(told["gpufilter_user_held", 'uid="CN=%s",resource="arena_bytes"' % name], 8192)
        self.assertEqual(told["gpufilter_user_held", 'uid="%d",resource="arena_bytes"' % ME], 0)

    def check(self, name):
        """A health check as a proxy sends it, in one piece, is answered."""
        with Conn(self.daemon.socket, greet=False, before=proxy(name) + hello() + HEALTH) as c:
            self.assertEqual(c.recv().kind, HELLO_REPLY)
            got = c.recv()
            self.assertEqual((got.kind, got.id), (INFO_REPLY, 77), got)
            c.half_close()
            self.assertEqual(c.rest(), [])

    def test_health_checks_at_the_limit(self):
        """Successive health checks are answered while the same user holds every place."""
        held, before = self.fill("edge"), self.refused_so_far()
        for _ in range(50):
            self.check("edge")
        for c in held:
            self.assertTrue(c.ping())
        self.assertEqual(self.refused_so_far(), before)

    def refused_so_far(self):
        return stats(self.healthy).get(("gpufilter_connections_refused_total", 'status="QUOTA"'), 0)

    def test_who_looks_on_may_not_work(self):
        held = self.fill("edge")
        for what in (cross(5), frame(FREE, 5, attr(26, U32, 1)), drop_frame(5, 1), frame(99, 5)):
            with self.as_user("edge") as c:
                self.assertTrue(c.ping())
                self.assertEqual(c.ask(HEALTH).kind, INFO_REPLY)
                c.send(frame(CANCEL, 5))
                self.assertTrue(c.ping())
                got = c.ask(what)
                self.assertEqual((got.kind, got.id, got.status), (ERROR, 5, QUOTA), got)
                self.assertEqual(c.rest(), [])
        with self.as_user("edge") as c:  # works once a place is free
            held[0].close()
            self.until(lambda: stats(self.healthy)["gpufilter_user_held", 'uid="CN=edge",resource="connections"'] == 3,
                       "the place is kept")
            self.assertEqual(c.ask(cross(5)).payload, CROSS)
            self.no_place("edge", "user CN=edge holds 4 connections; 1 more would exceed the limit of 4 "
                                  "(user-connections)")
            self.assertTrue(c.ping())

    def test_who_rests_there_gives_way(self):
        """A client that found no place and stays connected does not keep the next health check out."""
        self.fill("edge")
        with self.as_user("edge") as resting:
            with Conn(self.daemon.socket, greet=False, before=proxy("edge")) as c:  # it may stay for its first second
                self.assertEqual([(f.id, f.status) for f in c.rest()], [(0, QUOTA)])
            end = time.monotonic() + WAIT
            while not select.select([resting.sock], [], [], 0)[0]:
                self.assertLess(time.monotonic(), end, "it never gives way")
                with Conn(self.daemon.socket, greet=False, before=proxy("edge") + hello() + HEALTH) as c:
                    last = [f.kind for f in (c.recv(), c.recv()) if f is not None]
            self.assertEqual(last, [HELLO_REPLY, INFO_REPLY])
            found = resting.rest()
            self.assertEqual([(f.id, f.status, f.text) for f in found],
                             [(0, QUOTA, "this connection exceeded the limit and was replaced by a newer one")])


class Total(Proxied):
    ARGS = Proxied.ARGS + ("--max-connections", "4", "--user-connections", "4")

    def test_health_checks_at_the_total(self):
        """Clients hold every place, of the proxy itself and of each user."""
        held = [self.as_user(name) for name in ("alice", "carol", "dave")]
        for before in (LOCAL, proxy("alice"), proxy("bob")) * 3:
            with Conn(self.daemon.socket, greet=False, before=before + hello() + HEALTH) as c:
                self.assertEqual([c.recv().kind, c.recv().kind], [HELLO_REPLY, INFO_REPLY])
                got = c.place()
                self.assertEqual(got.status, BUSY, got)
        for c in held:
            self.assertTrue(c.ping())
            c.close()

    def test_few_look_on(self):
        """Sixteen users may look on; a seventeenth is refused with the reason; working clients are not disturbed."""
        held = [self.as_user(name) for name in ("alice", "carol", "dave")]
        looking = [self.as_user("user-%d" % i) for i in range(16)]
        with Conn(self.daemon.socket, greet=False, before=proxy("late")) as c:
            self.assertEqual([(f.id, f.status) for f in c.rest()], [(0, BUSY)])
        self.bystander()
        for c in held + looking:
            self.assertTrue(c.ping())
            c.close()


class Shares(Proxied):
    """Devices are shared by name: a user with four busy connections gets no more than a user with one."""

    ARGS = Proxied.ARGS + ("--user-requests", "256")
    SIDE, N = 256, 60

    def done_meanwhile(self, many, single):
        """The number of answers that `many` has on four connections when `single` has all its answers on one."""
        payload = pattern(self.SIDE * self.SIDE)
        conns = [self.as_user(many) for _ in range(4)] + [self.as_user(single)]
        worker = self.daemon.worker()
        before = stats(self.healthy)
        stop_process(worker)
        try:
            threads = [threading.Thread(target=c.send, args=(
                b"".join(gaussian(5 + k, self.SIDE, self.SIDE, payload, sigma=6.0) for k in range(self.N)),))
                for c in conns]
            for t in threads:
                t.start()
            for t in threads:
                t.join()
            end = time.monotonic() + WAIT
            while self.sum_of(stats(self.healthy), before, "gpufilter_user_accepted_total") < 5 * self.N:
                self.assertLess(time.monotonic(), end, "not accepted")
        finally:
            os.kill(worker, signal.SIGCONT)
        for _ in range(self.N):
            self.assertEqual(conns[4].recv().kind, RESULT)
        done = self.sum_of(stats(self.healthy), before, "gpufilter_user_answers_total") - self.N
        for c in conns[:4]:
            for _ in range(self.N):
                self.assertEqual(c.recv().kind, RESULT)
        for c in conns:
            c.close()
        return done

    def sum_of(self, now, before, family):
        return sum(n - before.get(key, 0) for key, n in now.items() if key[0] == family and "CN=" in key[1])

    def test_two_names_have_equal_shares(self):
        """Jain's index is 1 for equal shares and 0.7 for the same work under one name. Shares are shares of time, which
        a busy machine stretches for some requests, so the index is taken over the sum of several rounds."""
        done = sum(self.done_meanwhile(*names) for names in (("alice", "bob"), ("bob", "alice")) * 4)
        own = 8 * self.N
        jain = (done + own) ** 2 / (2 * (done ** 2 + own ** 2))
        self.assertGreaterEqual(jain, 0.95, "%d and %d" % (done, own))


class Reload(unittest.TestCase):
    def test_proxy_users(self):
        """SIGHUP makes a user a proxy and undoes it; existing connections stay; a bad list changes nothing."""
        where = tempfile.mkdtemp(prefix="gf-proxy-")
        self.addCleanup(shutil.rmtree, where)
        path = os.path.join(where, "conf")

        def configure(text):
            with open(path, "w", encoding="utf-8") as f:
                f.write("proxy-users = %s\n" % text)

        configure("")
        d = Daemon("--config", path)
        self.addCleanup(d.stop)

        def reload(text, line, times):
            configure(text)
            os.kill(d.pid, signal.SIGHUP)
            end = time.monotonic() + WAIT
            while d.log().count(line) < times:
                self.assertLess(time.monotonic(), end, d.log())

        direct = d.conn()
        reload(str(ME), "configuration reloaded", 1)
        alice = d.conn(before=proxy("alice"))
        with Conn(d.socket, greet=False, before=hello()) as c:
            self.assertEqual([(f.id, f.status) for f in c.rest()], [(0, BAD_FRAME)])
        reload("%d,no-such-user" % ME, "configuration not changed: %s:1: proxy-users=%d,no-such-user: no user "
               "'no-such-user'; allowed: uids, and names of /etc/passwd" % (path, ME), 1)
        with d.conn(before=proxy("alice")) as c:
            self.assertTrue(c.ping())
        reload("daemon", "configuration reloaded", 2)  # a name, of another user
        with Conn(d.socket, greet=False, before=proxy("alice")) as c:
            self.assertIn("which is not in proxy-users", c.rest()[0].text)
        with d.conn() as c:
            self.assertTrue(c.ping())
        for c in (direct, alice):
            self.assertEqual(c.ask(cross(5)).payload, CROSS)
            c.close()


if __name__ == "__main__":
    unittest.main()
