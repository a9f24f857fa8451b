# SPDX-License-Identifier: BSD-3-Clause
"""What a command takes: KiB of memory that it had at most, and seconds of the processor. cost.py COMMAND..."""
import os
import sys

null = os.open("/dev/null", os.O_WRONLY)
pid = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, null, 1)])
status, usage = os.wait4(pid, 0)[1:]
if status:
    sys.exit("%s ended with status %d" % (sys.argv[1:], os.waitstatus_to_exitcode(status)))
print(usage.ru_maxrss, "%.3f" % (usage.ru_utime + usage.ru_stime))
