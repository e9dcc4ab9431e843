"""A ClickHouse server for tests, from the library of the npm package chdb: it contains clickhouse-local, which can listen.

  python3 clickhouse-server.py LIBRARY CONFIG_FILE DATA_FOLDER HTTP_PORT TCP_PORT

It listens on 127.0.0.1 and ends when its standard input does, so it never outlives the process that started it. If it
cannot run, it prints its error and ends with 1. Needs Python 3.8.

Other than a ClickHouse server, clickhouse-local ends when a connection between shards closes in the middle of a query,
for it lacks the server's handler of such errors. So over several shards, no query here may stop before it has read its
rows: one with LIMIT, but without ORDER BY or GROUP BY.
"""
import ctypes
import os
import sys
import threading

library, config, data, http_port, tcp_port = sys.argv[1:]


def end_with_the_input():
    while os.read(0, 4096):
        pass
    os._exit(0)


# clickhouse-local ends after its last query. This one makes a row every three seconds, for ever.
query = """
    SYSTEM START LISTEN HTTP;
    SYSTEM START LISTEN TCP;
    SELECT sleepEachRow(3) FROM system.numbers FORMAT Null
    SETTINGS max_block_size = 1, function_sleep_max_microseconds_per_block = 0
"""
arguments = [
    "clickhouse",
    "--config-file=" + config,
    "--path=" + data,
    "--listen_host=127.0.0.1",
    "--http_port=" + http_port,
    "--tcp_port=" + tcp_port,
    "--query=" + query,
]

threading.Thread(target=end_with_the_input, daemon=True).start()
chdb = ctypes.CDLL(library)
chdb.chdb_query_cmdline.restype = ctypes.c_void_p
chdb.chdb_result_error.restype = ctypes.c_char_p
chdb.chdb_result_error.argtypes = [ctypes.c_void_p]
argv = (ctypes.c_char_p * len(arguments))(*[argument.encode() for argument in arguments])
result = chdb.chdb_query_cmdline(len(arguments), argv)
error = chdb.chdb_result_error(result) if result else None
print((error or b"it ended without an error").decode(), flush=True)
os._exit(1)
