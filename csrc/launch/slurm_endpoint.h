/// @file
/// Where the ranks of a Slurm step meet, if the user set nothing: an address and a port that each rank finds alone.
#pragma once

#include <torch_dist_init/environment.h>
#include <torch_dist_init/launch.h>

#include <cstdint>

namespace torch_dist_init::detail {

/// The port of a step: 61000 + (job + 2803 * step) % 4536, from 61000 to 65535. That is above the ephemeral ports of
/// Linux (32768 to 60999), so that no outgoing connection holds it. 2803 has no common divisor with 4536 and is about
/// 0.618 times as large, so that steps of a job, and jobs that follow each other, get ports that differ.
int slurm_port(std::uint32_t job, std::uint32_t step);

/// Takes the step's identity, "job.step", into `info`, and the port: MASTER_PORT, else the first port that Slurm
/// reserved for the step, else slurm_port; 29500 and a warning if Slurm's ids aren't numbers.
void read_slurm_job_and_port(const Environment& environment, LaunchInfo& info);

/// Takes the address into `info`: MASTER_ADDR, else 127.0.0.1 for a step on one node, else the host of the step's first
/// task. Leaves it empty, with the reason, if that can't be told.
void read_slurm_address(const Environment& environment, LaunchInfo& info);

}  // namespace torch_dist_init::detail
