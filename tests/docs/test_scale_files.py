"""The files of examples/scale: the job of Slurm runs here with real Ray and PostgreSQL, on two
"nodes" of this machine; the manifest and the image fit each other and the command line."""

import os
import shlex
import socket
import subprocess
import sys
from pathlib import Path

import click
import pytest

from moot.cli.main import moot as cli

ROOT = Path(__file__).parents[2]
FILES = ROOT / "examples" / "scale"
SHIMS = {
    "scontrol": '[ "$1 $2" = "show hostnames" ] && printf "one\\ntwo\\n"',
    "srun": 'echo "$*" >> "$SHIM_LOG"; while [[ "$1" == --* ]]; do shift; done; exec "$@"',
    "hostname": "echo 127.0.0.1",
}


def find_job() -> int:
    """Return the number of a job whose port, 20000 + number % 20000, is free.

    The system gives the ports from 32768 on to whoever asks for any: those are left alone.
    """
    for job in range(os.getpid() % 12_000, 12_700):
        with socket.socket() as free:
            try:
                free.bind(("", 20_000 + job))
            except OSError:
                continue
            return job
    raise AssertionError("no port from 20000 to 32699 is free")


def test_the_job_of_slurm_runs_a_study_on_two_nodes(postgres, tmp_path):
    pytest.importorskip("ray")
    folder = tmp_path / "bin"
    folder.mkdir()
    for name, text in SHIMS.items():
        (folder / name).write_text(f"#!/bin/bash\n{text}\n")
        (folder / name).chmod(0o755)
    study = tmp_path / "study.toml"
    study.write_text((FILES / "study.toml").read_text().replace("n = 2000", "n = 12"))
    address = postgres.make_database()
    environment = {
        **os.environ,
        "PATH": f"{folder}:{Path(sys.executable).parent}:{os.environ['PATH']}",
        "MOOT_STORE": address,
        "SHIM_LOG": str(tmp_path / "log"),
        "SLURM_JOB_NODELIST": "[one,two]",
        "SLURM_JOB_ID": str(find_job()),
        "SLURM_CPUS_PER_TASK": "1",
    }

    done = subprocess.run(
        [FILES / "study.sbatch", study, "--json"],
        env=environment,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert '"failed": 0' in done.stdout
    steps = (tmp_path / "log").read_text().splitlines()
    assert [("--head" in step, "--address=" in step) for step in steps if "ray start" in step] == [
        (True, False),
        (False, True),
    ]
    replies = postgres.execute("SELECT COUNT(*) FROM moot.replies", address)
    workers = postgres.execute("SELECT COUNT(DISTINCT pid) FROM moot.sessions", address)
    assert int(replies) > 0
    assert int(workers) >= 3  # the driver and two workers


def test_the_manifest_runs_a_command_that_moot_has_on_the_ray_of_its_image():
    yaml = pytest.importorskip("yaml")
    job = yaml.safe_load((FILES / "rayjob.yaml").read_text())
    spec = job["spec"]
    cluster = spec["rayClusterSpec"]
    program, name, *words = shlex.split(spec["entrypoint"])
    run = cli.get_command(click.Context(cli), name)
    given = run.make_context(name, words).params
    [group] = cluster["workerGroupSpecs"]
    cpus = int(group["rayStartParams"]["num-cpus"]) * group["replicas"]
    assert (program, given["ray"], given["workers"]) == ("moot", "auto", cpus)
    [head], [worker] = (
        each["template"]["spec"]["containers"] for each in (cluster["headGroupSpec"], group)
    )
    assert head["image"] == worker["image"]
    image = (FILES / "Dockerfile").read_text()
    assert f"FROM rayproject/ray:{cluster['rayVersion']}-" in image
    assert head["env"][0]["name"] == "MOOT_STORE"
    assert given["study"].startswith(head["volumeMounts"][0]["mountPath"])
