/// @file
/// What real launchers left in the environment: captured from Slurm 22.05, Open MPI 4.1 and 5.0, MPICH 5.0, Intel MPI
/// 2021.19 and torchrun 2.15, without the variables that have nothing to do with ranks.
#pragma once

#include "variables.h"

namespace captured {

/// srun -N2 -n3 -w n1,n2, rank 2.
inline const Variables srun = shell(
    "SLURM_JOB_ID=1 SLURM_JOB_NAME=bash SLURM_JOB_NODELIST=n[1-2] SLURM_NODELIST=n[1-2] SLURM_JOB_NUM_NODES=2 "
    "SLURM_NNODES=2 SLURM_NTASKS=3 SLURM_NPROCS=3 SLURM_PROCID=2 SLURM_LOCALID=0 SLURM_NODEID=1 SLURM_GTIDS=2 "
    "SLURM_STEP_ID=0 SLURM_STEPID=0 SLURM_STEP_NODELIST=n[1-2] SLURM_STEP_NUM_NODES=2 SLURM_STEP_NUM_TASKS=3 "
    "SLURM_STEP_TASKS_PER_NODE=2,1 SLURM_TASKS_PER_NODE=2,1 SLURM_LAUNCH_NODE_IPADDR=127.0.0.1 "
    "SLURM_SRUN_COMM_HOST=127.0.0.1 SLURMD_NODENAME=n2");

/// sbatch -N3 --ntasks-per-node=2: the script itself.
inline const Variables batch_script = shell(
    "ENVIRONMENT=BATCH HOSTNAME=n1 SLURM_JOB_ID=2 SLURM_JOB_NODELIST=n[1-3] SLURM_NODELIST=n[1-3] "
    "SLURM_JOB_NUM_NODES=3 SLURM_NNODES=3 SLURM_NTASKS=6 SLURM_NPROCS=6 SLURM_NTASKS_PER_NODE=2 "
    "SLURM_TASKS_PER_NODE=2(x3) SLURM_PROCID=0 SLURM_LOCALID=0 SLURM_NODEID=0 SLURM_GTIDS=0 SLURMD_NODENAME=n1");

/// srun in that script, rank 1.
inline const Variables srun_in_batch =
    with(batch_script,
         "SLURM_PROCID=1 SLURM_LOCALID=1 SLURM_NODEID=0 SLURM_GTIDS=0,1 SLURM_DISTRIBUTION=block SLURM_STEP_ID=0 "
         "SLURM_STEP_NODELIST=n[1-3] SLURM_STEP_NUM_NODES=3 SLURM_STEP_NUM_TASKS=6 SLURM_STEP_TASKS_PER_NODE=2(x3) "
         "SLURM_JOB_CPUS_PER_NODE_PACK_GROUP_0=2(x3)");

/// srun -N2 -n2 -w n2,n3 in that script, rank 1.
inline const Variables smaller_step =
    with(batch_script,
         "SLURM_PROCID=1 SLURM_LOCALID=0 SLURM_NODEID=1 SLURM_NTASKS=2 SLURM_NNODES=2 SLURM_STEP_ID=1 "
         "SLURM_STEP_NODELIST=n[2-3] SLURM_STEP_NUM_NODES=2 SLURM_STEP_NUM_TASKS=2 SLURM_STEP_TASKS_PER_NODE=1(x2) "
         "SLURM_TASKS_PER_NODE=1(x2) SLURM_GTIDS=1 SLURMD_NODENAME=n3");

/// salloc -N2 -n4: its shell, where no step runs.
inline const Variables salloc_shell = shell(
    "SLURM_JOB_ID=3 SLURM_JOB_NAME=interactive SLURM_JOB_NODELIST=n[1-2] SLURM_NODELIST=n[1-2] "
    "SLURM_JOB_NUM_NODES=2 SLURM_NNODES=2 SLURM_NTASKS=4 SLURM_NPROCS=4 SLURM_TASKS_PER_NODE=3,1");

/// The same where salloc's shell is an interactive step: one process, while SLURM_NTASKS stays the job's.
inline const Variables interactive_step = with(
    salloc_shell,
    "SLURM_STEP_ID=4294967290 SLURM_STEPID=4294967290 SLURM_STEP_NODELIST=n1 SLURM_STEP_NUM_NODES=1 "
    "SLURM_STEP_NUM_TASKS=1 SLURM_STEP_TASKS_PER_NODE=1 SLURM_PROCID=0 SLURM_LOCALID=0 SLURM_NODEID=0 SLURM_GTIDS=0 "
    "SLURM_PTY_PORT=40965");

/// srun -N1 -n4 --pty bash.
inline const Variables srun_pty = shell(
    "SLURM_JOB_NAME=bash SLURM_NTASKS=4 SLURM_PROCID=0 SLURM_GTIDS=0,1,2,3 SLURM_PTY_PORT=40729 SLURM_STEP_ID=0 "
    "SLURM_STEP_NUM_TASKS=4 SLURM_STEP_TASKS_PER_NODE=4 SLURM_STEP_NODELIST=n1");

/// srun with 7 tasks on 4 nodes, rank 6.
inline const Variables uneven_step = shell(
    "SLURM_JOB_ID=9 SLURM_STEP_ID=0 SLURM_STEP_NODELIST=n[1-2],rack1n01,rack2n02 SLURM_STEP_NUM_NODES=4 "
    "SLURM_STEP_TASKS_PER_NODE=4,1(x3) SLURM_STEP_NUM_TASKS=7 SLURM_PROCID=6 SLURM_LOCALID=0 SLURM_NODEID=3 "
    "SLURM_GTIDS=6");

/// srun -m cyclic -N2 -n4 with 3 and 1 CPUs, rank 2: the ranks of a node don't follow each other.
inline const Variables cyclic_step = shell(
    "SLURM_JOB_ID=9 SLURM_STEP_ID=1 SLURM_STEP_NODELIST=n[1-2] SLURM_STEP_NUM_NODES=2 SLURM_STEP_TASKS_PER_NODE=3,1 "
    "SLURM_STEP_NUM_TASKS=4 SLURM_PROCID=2 SLURM_LOCALID=1 SLURM_NODEID=0 SLURM_GTIDS=0,2,3 "
    "SLURM_DISTRIBUTION=cyclic");

/// srun -m arbitrary with a host file that lists n3, n1, n1; rank 0, which is on n3. SLURM_HOSTFILE is the test's.
inline const Variables arbitrary_step = shell(
    "SLURM_JOB_ID=9 SLURM_STEP_ID=2 SLURM_STEP_NODELIST=n[1,3] SLURM_NODELIST=n[1,3] SLURM_STEP_NUM_NODES=2 "
    "SLURM_STEP_TASKS_PER_NODE=2,1 SLURM_STEP_NUM_TASKS=3 SLURM_PROCID=0 SLURM_LOCALID=0 SLURM_NODEID=1 SLURM_GTIDS=0 "
    "SLURM_DISTRIBUTION=arbitrary");

/// srun --het-group=0,1, rank 3: one step over both parts of a heterogeneous job.
inline const Variables heterogeneous_step = shell(
    "SLURM_JOB_ID=14 SLURM_STEP_ID=0 SLURM_PROCID=3 SLURM_LOCALID=0 SLURM_NODEID=2 SLURM_NTASKS=4 SLURM_NNODES=3 "
    "SLURM_STEP_NUM_TASKS=4 SLURM_STEP_NUM_NODES=3 SLURM_STEP_TASKS_PER_NODE=2,1(x2) SLURM_STEP_NODELIST=n[1-3] "
    "SLURM_JOB_NODELIST=n[1-3] SLURM_NODELIST=n[1-3] SLURM_HET_SIZE=2");

/// srun -E -N1 -n1 in salloc -N2 -n4: the job's numbers stay beside the step's.
inline const Variables preserved_environment =
    with(salloc_shell,
         "SLURM_STEP_ID=3 SLURM_STEP_NUM_TASKS=1 SLURM_STEP_NUM_NODES=1 SLURM_STEP_TASKS_PER_NODE=1 "
         "SLURM_STEP_NODELIST=n1 SLURM_PROCID=0 SLURM_LOCALID=0 SLURM_NODEID=0 SLURM_GTIDS=0");

/// srun --mpi=pmi2 -N2 -n2, rank 1.
inline const Variables srun_pmi2 = shell(
    "SLURM_JOB_ID=7 SLURM_STEP_ID=0 SLURM_NTASKS=2 SLURM_PROCID=1 SLURM_LOCALID=0 SLURM_NODEID=1 SLURM_GTIDS=1 "
    "SLURM_STEP_NODELIST=n[1-2] SLURM_STEP_NUM_NODES=2 SLURM_STEP_NUM_TASKS=2 SLURM_STEP_TASKS_PER_NODE=1(x2) "
    "PMI_RANK=1 PMI_SIZE=2 PMI_FD=13 PMI_JOBID=7.0");

/// srun --mpi=pmix -N2 -n2, rank 1.
inline const Variables srun_pmix = shell(
    "SLURM_JOB_ID=8 SLURM_STEP_ID=0 SLURM_NTASKS=2 SLURM_PROCID=1 SLURM_LOCALID=0 SLURM_NODEID=1 SLURM_GTIDS=1 "
    "SLURM_STEP_NODELIST=n[1-2] SLURM_STEP_NUM_NODES=2 SLURM_STEP_NUM_TASKS=2 SLURM_STEP_TASKS_PER_NODE=1(x2) "
    "PMIX_RANK=1 PMIX_NAMESPACE=slurm.pmix.8.0 PMIX_HOSTNAME=vm "
    "PMIX_SERVER_URI41=pmix-server.25719;tcp4://127.0.0.1:41499 SLURM_PMIX_MAPPING_SERV=(vector,(0,1,2))");

/// mpirun of Open MPI 4.1 in the batch script, rank 5. The Slurm variables are those of its daemon's step.
inline const Variables openmpi4_in_batch =
    with(batch_script,
         "OMPI_COMM_WORLD_RANK=5 OMPI_COMM_WORLD_SIZE=6 OMPI_COMM_WORLD_LOCAL_RANK=1 OMPI_COMM_WORLD_LOCAL_SIZE=2 "
         "OMPI_COMM_WORLD_NODE_RANK=1 OMPI_UNIVERSE_SIZE=6 "
         "OMPI_MCA_orte_hnp_uri=182452224.0;tcp://192.0.2.2:41837;tcp6://[fd00::2]:46895 OMPI_MCA_orte_num_nodes=3 "
         "PMIX_RANK=5 PMIX_NAMESPACE=182452225 SLURM_PROCID=2 SLURM_LOCALID=0 SLURM_NODEID=2 SLURM_NTASKS=3 "
         "SLURM_NTASKS_PER_NODE=1 SLURM_STEP_ID=1 SLURM_STEP_NUM_TASKS=3 SLURM_STEP_NUM_NODES=3 "
         "SLURM_STEP_NODELIST=n[1-3] SLURM_STEP_TASKS_PER_NODE=1(x3)");

/// mpiexec of MPICH 5 in the batch script, rank 3.
inline const Variables mpich_in_batch = with(
    batch_script,
    "PMI_RANK=3 PMI_SIZE=6 PMI_FD=11 PMI_HOSTNAME=n2 MPI_LOCALRANKID=1 MPI_LOCALNRANKS=2 SLURM_PROCID=1 "
    "SLURM_NTASKS=3 SLURM_LOCALID=0 SLURM_NODEID=1 SLURM_STEP_ID=0 SLURM_STEP_NUM_TASKS=3 SLURM_EXTERNAL_LAUNCHER=1");

/// mpirun of Intel MPI in the batch script, rank 3.
inline const Variables intel_in_batch =
    with(batch_script,
         "PMI_RANK=3 PMI_SIZE=6 MPI_LOCALRANKID=1 MPI_LOCALNRANKS=2 SLURM_PROCID=1 SLURM_NTASKS=6 SLURM_LOCALID=0 "
         "SLURM_NODEID=1 SLURM_STEP_ID=1 SLURM_STEP_NUM_TASKS=3 SLURMD_NODENAME=n1");

/// mpirun of Open MPI 5 in the batch script, rank 3.
inline const Variables openmpi5_in_batch =
    with(batch_script,
         "OMPI_COMM_WORLD_RANK=3 OMPI_COMM_WORLD_SIZE=6 OMPI_COMM_WORLD_LOCAL_RANK=1 OMPI_COMM_WORLD_LOCAL_SIZE=2 "
         "PRTE_LAUNCHED=1 PMIX_RANK=3 PMIX_NAMESPACE=prterun-vm-29419@1 "
         "PMIX_SERVER_URI41=prterun-vm-29419@0.2;tcp4://127.0.0.1:44843 SLURM_PROCID=1 SLURM_NTASKS=3 "
         "SLURM_STEP_NUM_TASKS=3");

/// srun -N2 torchrun --nproc-per-node=2: the second worker on n1, of which torchrun says that it is node 1.
inline const Variables torchrun_in_srun = shell(
    "RANK=3 WORLD_SIZE=4 LOCAL_RANK=1 LOCAL_WORLD_SIZE=2 GROUP_RANK=1 GROUP_WORLD_SIZE=2 ROLE_NAME=default "
    "ROLE_RANK=3 ROLE_WORLD_SIZE=4 MASTER_ADDR=localhost MASTER_PORT=33451 TORCHELASTIC_RUN_ID=77 "
    "TORCHELASTIC_USE_AGENT_STORE=True TORCHELASTIC_RESTART_COUNT=0 TORCHELASTIC_MAX_RESTARTS=0 "
    "TORCH_NCCL_ASYNC_ERROR_HANDLING=1 SLURM_PROCID=0 SLURM_NODEID=0 SLURM_STEP_NUM_TASKS=2 SLURM_NTASKS=2 "
    "SLURM_LOCALID=0 SLURM_STEP_NODELIST=n[1-2]");

/// mpirun -n 1 torchrun --nproc-per-node=2, the second worker.
inline const Variables torchrun_in_mpirun = shell(
    "RANK=1 WORLD_SIZE=2 LOCAL_RANK=1 TORCHELASTIC_RUN_ID=0b5 MASTER_ADDR=localhost OMPI_COMM_WORLD_RANK=0 "
    "OMPI_COMM_WORLD_SIZE=1 OMPI_COMM_WORLD_LOCAL_RANK=0 PMIX_RANK=0");

/// mpirun -n 1 bash -c 'srun -n4 program', rank 2 for Slurm.
inline const Variables srun_in_mpirun = shell(
    "OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=1 OMPI_COMM_WORLD_LOCAL_RANK=0 SLURM_PROCID=2 "
    "SLURM_STEP_NUM_TASKS=4");

/// export RANK=0 WORLD_SIZE=1; srun -n4 program, rank 2.
inline const Variables leftover_rank =
    shell("RANK=0 WORLD_SIZE=1 SLURM_PROCID=2 SLURM_STEP_NUM_TASKS=4 SLURM_STEP_NODELIST=n[1-2]");

}  // namespace captured
