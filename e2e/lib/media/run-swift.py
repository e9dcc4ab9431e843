"""Runs one part of OpenStack Swift on a configuration folder of the caller's, for s3-server.ts.

    run-swift.py FOLDER rings NAME=PORT …   writes a ring of one device for each server
    run-swift.py FOLDER serve NAME          becomes the server
    run-swift.py FOLDER exec COMMAND …      becomes any other program

Servers end with the process that started them, however that ends.
"""

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1


def make_rings(folder, servers):
    from swift.common.ring.builder import RingBuilder

    for server in servers:
        name, port = server.split("=")
        ring = RingBuilder(part_power=4, replicas=1, min_part_hours=0)
        address = {"ip": "127.0.0.1", "port": int(port)}
        replication = {"replication_" + key: value for key, value in address.items()}
        ring.add_dev({"region": 1, "zone": 1, "weight": 1, "device": "disk", "meta": "", **address, **replication})
        ring.rebalance(seed="1")
        ring.get_ring().save(os.path.join(folder, name + ".ring.gz"))


def serve(folder, name):
    # Swift looks for its settings in /etc/swift when its modules are loaded.
    from swift.common import utils

    utils.set_swift_dir(folder)
    from swift.common import storage_policy
    from swift.common.wsgi import run_wsgi

    storage_policy.reload_storage_policies()
    sys.exit(run_wsgi(os.path.join(folder, name + "-server.conf"), name + "-server"))


def main():
    folder, action, *arguments = sys.argv[1:]
    if action == "rings":
        return make_rings(folder, arguments)
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if action == "exec":
        os.execvp(arguments[0], arguments)
    serve(folder, arguments[0])


main()
