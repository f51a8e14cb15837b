# SPDX-License-Identifier: MIT
"""Slurm on the machines of nodes.py: munged and slurmctld on the client, slurmd on each node, all Debian's programs
with their own configuration. Used by test_slurm.py."""
import os
import subprocess

from nodes import WAIT, wait_for

PROGRAMS = ("munged", "mungekey", "slurmctld", "slurmd", "sbatch", "squeue", "scontrol", "unshare")

CONF = """\
ClusterName=gf
SlurmctldHost=controller({controller})
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={munge}
CredType=cred/munge
StateSaveLocation={dir}/state
SlurmctldPidFile={dir}/slurmctld.pid
SlurmdPidFile={nodes}/%n/slurmd.pid
SlurmdSpoolDir={nodes}/%n/spool
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
TaskProlog={dir}/prolog
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
MailProg=/bin/true
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerType=sched/builtin
SchedulerParameters=batch_sched_delay=0,sched_min_interval=0
SlurmdParameters=config_overrides
SlurmctldTimeout=30
SlurmdTimeout=4
MessageTimeout=2
KillWait=1
ReturnToService=2
TreeWidth=50
{names}
PartitionName=all Nodes=ALL Default=YES MaxTime=10 State=UP
"""

# The site's set-up for its users: the command in the path, the socket of the node's daemon.
PROLOG = """\
#!/bin/sh
echo "export PATH={path}:$PATH"
echo "export GPUFILTER_SOCKET={nodes}/$SLURMD_NODENAME/gpufilterd.sock"
"""


class Slurm:
    """A cluster of `nodes`, each of which runs one task of two processors at a time."""

    def __init__(self, nodes):
        self.nodes, self.dir = nodes, nodes.client.path("slurm")
        os.mkdir(self.dir)
        os.mkdir(self.path("state"))
        self.conf = self.path("slurm.conf")
        self.env = {**{k: v for k, v in os.environ.items() if not k.startswith(("SLURM", "SBATCH", "GPUFILTER_"))},
                    "SLURM_CONF": self.conf, "LC_ALL": "C"}
        names = "\n".join("NodeName=%s NodeHostname=%s NodeAddr=%s CPUs=2 State=UNKNOWN" % (n.name, n.name, n.address)
                          for n in nodes.all)
        self.write("slurm.conf", CONF.format(dir=self.dir, nodes=nodes.dir, names=names, controller=nodes.client.address,
                                             munge=self.path("munge.socket")))
        self.write("cgroup.conf", "CgroupPlugin=cgroup/v1\n")  # is not used, and not looked for: /sys is another one here
        path = os.path.dirname(os.environ["GF_CLIENT"])
        os.chmod(self.write("prolog", PROLOG.format(path=path, nodes=nodes.dir)), 0o755)

    def path(self, name):
        return os.path.join(self.dir, name)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as f:
            f.write(text)
        return self.path(name)

    def start(self):
        """Starts all daemons; returns when every node accepts tasks."""
        key, munge = self.path("munge.key"), self.path("munge.socket")
        subprocess.run(["mungekey", "--create", "--keyfile", key], check=True, stdin=subprocess.DEVNULL)
        client = self.nodes.client
        client.logged("munged.log", ["munged", "--foreground", "--force", "--key-file", key, "--socket", munge, "--pid-file",
                                     self.path("munged.pid"), "--log-file", self.path("munged.messages"), "--seed-file",
                                     self.path("munged.seed")])
        wait_for("munged", lambda: os.path.exists(munge))
        self.logged(client, "controller", "slurmctld.log", ["slurmctld", "-D", "-i"])
        for node in self.nodes.all:
            self.start_node(node)
        wait_for("nodes that take tasks", lambda: self.states() == ["idle"] * len(self.nodes))

    def start_node(self, node):
        os.makedirs(node.path("spool"), exist_ok=True)
        self.logged(node, node.name, "slurmd.log", ["slurmd", "-D", "-N", node.name])

    def logged(self, machine, name, log, args):
        """Runs a program under the machine's own host name, which Slurm's daemons look up in their configuration."""
        script = 'hostname "$0" && exec "$@"'
        machine.logged(log, ["unshare", "--uts", "sh", "-c", script, name, *args], env=self.env)

    def run(self, *args):
        """Runs a command of Slurm on the client machine. Returns its output."""
        done = self.nodes.client.run(list(args), capture_output=True, text=True, env=self.env, cwd=self.dir, timeout=WAIT)
        if done.returncode != 0:
            raise OSError("%s: %s\n%s" % (" ".join(args), done.stderr.strip(), self.logs()))
        return done.stdout

    def states(self):
        """The states of the nodes, in order; [] while the controller does not answer."""
        try:
            lines = self.run("scontrol", "--oneliner", "show", "nodes").splitlines()
        except OSError:
            return []
        fields = [dict(word.split("=", 1) for word in line.split() if "=" in word) for line in lines]
        return [f["State"].lower() for f in sorted(fields, key=lambda f: f["NodeName"])]

    def tasks(self, job):
        """{number: (state, node)} of each task of an array that is not over."""
        rows = [line.split("|") for line in self.run("squeue", "--array", "--noheader", "-j", job, "-o", "%K|%T|%N").splitlines()]
        return {int(k): (state, node) for k, state, node in rows}

    def over(self, job):
        """{number: (last state, exit status, number of restarts)} of each task of an array."""
        result = {}
        for line in self.run("scontrol", "--oneliner", "show", "job", job).splitlines():
            fields = dict(word.split("=", 1) for word in line.split() if "=" in word)
            result[int(fields["ArrayTaskId"])] = (fields["JobState"], fields["ExitCode"], int(fields["Restarts"]))
        return result

    def hurry(self, job, task):
        """Waits until a task has been requeued and makes it run again at once; Slurm would wait two minutes."""
        wait_for("task %d to be put back" % task, lambda: self.tasks(job).get(task, ("",))[0] == "PENDING")
        self.run("scontrol", "update", "JobId=%s_%d" % (job, task), "StartTime=now")

    def logs(self):
        """The ends of the daemons' logs."""
        text = []
        for machine, log in [(self.nodes.client, "munged.log"), (self.nodes.client, "slurmctld.log"),
                             *((n, "slurmd.log") for n in self.nodes.all)]:
            text.append("%s of %s:\n%s" % (log, machine.name, machine.log(log)[-3000:]))
        return "\n".join(text)
