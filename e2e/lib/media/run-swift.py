"""Runs OpenStack Swift and its memcached on a configuration folder of the caller's, for s3-server.ts.

    run-swift.py FOLDER CACHE_PORT NAME=PORT …

The first start writes a ring of one device for each server but the proxy. All processes end with the one that started
them, however that ends. The exit status is 3 if Swift is not installed.
"""

import ctypes
import os
import pwd
import signal
import sys

PR_SET_PDEATHSIG = 1
NOT_INSTALLED = 3


def make_ring(folder, name, port):
    from swift.common.ring.builder import RingBuilder

    path = os.path.join(folder, name + ".ring.gz")
    if os.path.exists(path):
        return
    ring = RingBuilder(part_power=4, replicas=1, min_part_hours=0)
    address = {"ip": "127.0.0.1", "port": int(port)}
    replication = {"replication_" + key: value for key, value in address.items()}
    ring.add_dev({"region": 1, "zone": 1, "weight": 1, "device": "disk", "meta": "", **address, **replication})
    ring.rebalance(seed="1")
    ring.get_ring().save(path)


def end_with_parent():
    parent = os.getppid()
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def in_child(run):
    if os.fork() == 0:
        end_with_parent()
        run()
        os._exit(1)


def main():
    folder, cache_port, *servers = sys.argv[1:]
    end_with_parent()
    try:
        import eventlet

        # Swift does it too, but once everything is loaded it takes a second of processor time.
        eventlet.monkey_patch(all=False, socket=True, select=True, thread=True)
        from swift.common import utils

        # Swift looks for its settings in /etc/swift when its modules are loaded.
        utils.set_swift_dir(folder)
        # Loaded once, before the processes part.
        import swift.account.server
        import swift.common.middleware.s3api.s3api
        import swift.container.server
        import swift.obj.server
        import swift.proxy.server
        from swift.common import storage_policy
        from swift.common.wsgi import run_wsgi
    except ImportError as error:
        print(error, file=sys.stderr)
        sys.exit(NOT_INSTALLED)

    user = pwd.getpwuid(os.getuid()).pw_name
    memcached = ["memcached", "-u", user, "-l", "127.0.0.1", "-p", cache_port]
    in_child(lambda: os.execvp(memcached[0], memcached))
    for server in servers:
        name, port = server.split("=")
        if name != "proxy":
            make_ring(folder, name, port)
    storage_policy.reload_storage_policies()
    for server in servers:
        name = server.split("=")[0] + "-server"
        in_child(lambda: run_wsgi(os.path.join(folder, name + ".conf"), name))
    os.wait()
    sys.exit("a part of Swift has ended")


main()
