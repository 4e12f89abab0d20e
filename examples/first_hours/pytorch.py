"""The first hour with PyTorch: a model that is not edited, and the same layers from acltwin.

It prints:

   replaced: the same loss, 4 operators computed here
   averages and bilinear upsampling: avg_pool2d, avg_pool2d_backward, upsample_bilinear2d, upsample_bilinear2d_backward
   layers: the same result
"""

import torch
from torch import nn

import acltwin.torch

torch.manual_seed(0)
model = nn.Sequential(nn.Conv3d(1, 4, 3, padding=1), nn.MaxPool3d(2), nn.Upsample(scale_factor=2))
volume = torch.randn(1, 1, 8, 8, 8)


def loss() -> float:
    model.zero_grad()
    value = model(volume).square().mean()
    value.backward()
    return value.item()


theirs = loss()
with acltwin.torch.replaced() as report:
    ours = loss()
taken = sum(calls.taken == 1 for calls in report.operators.values())
print(f"replaced: {'the same' if ours == theirs else 'another'} loss, {taken} operators computed here")

images = nn.Sequential(nn.Conv2d(1, 4, 3), nn.AvgPool2d(2), nn.Upsample(scale_factor=2, mode="bilinear"))
with acltwin.torch.replaced() as report:
    images(torch.randn(1, 1, 10, 10)).square().mean().backward()
print("averages and bilinear upsampling:", ", ".join(sorted(report.operators)))

layers = nn.Sequential(model[0], acltwin.torch.MaxPool3d(2), acltwin.torch.Upsample(scale_factor=2))
print("layers:", "the same result" if torch.equal(layers(volume), model(volume)) else "another result")
