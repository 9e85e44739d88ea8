"""One rank of a job, with Python's torch.distributed."""

import datetime
import time

import torch
import torch.distributed as dist

dist.init_process_group("gloo", timeout=datetime.timedelta(seconds=300))
print(f"LibTorch {torch.__version__} ready {time.monotonic():.6f}", flush=True)
tensor = torch.full((1,), float(dist.get_rank()))
dist.all_reduce(tensor)
assert tensor.item() == dist.get_world_size() * (dist.get_world_size() - 1) / 2
dist.destroy_process_group()
