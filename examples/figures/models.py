#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Figures 2 and 3 of Peise & Bientinesi: the boxes into which models of a Cholesky factorisation's kernels divide the sizes,
and how far they are from times that no model was fitted to."""
import statistics

from figure import Figure, main, percent


def known(models, context):
    """Models of a context that were held against points apart."""
    return [m for m in models if m["context"] == context and m["held_out"] and m["error"]["avg"] is not None]


def error_claims(figure, models, context):
    judged = known(models, context)
    where = {"warm": "in cache", "cold": "out of cache"}[context]
    says = f"models are well below 2 % from the measured times for most sizes, below 0.5 % on average ({where})"
    if not judged:
        figure.claim(says, "no model was held against points apart: the budget was too small", None)
        return
    means, floors = [m["error"]["avg"] for m in judged], [m["error"]["floor"] for m in judged if m["error"]["floor"] is not None]
    scatter = f"; halves of the samples themselves differ by {percent(statistics.mean(floors))}" if floors else ""
    figure.claim(says, f"mean error {percent(statistics.mean(means))}, that of the worst kernel {percent(max(means))}, "
                 f"{sum(m['error']['n'] for m in judged)} points of {len(judged)} models{scatter}",
                 None if floors and statistics.mean(floors) > statistics.mean(means) else statistics.mean(means) < 0.005)


def make(machine, options):
    figure = Figure(machine, "models", "Peise & Bientinesi, figures 2 and 3", "models of the kernels of a Cholesky factorisation")
    blas, words = machine.lapack()
    largest = 256 if options.quick else 1024
    models = machine.path("models-kernels.json")
    machine.json("model", "build", "--blas", blas, "--models", models, "--algorithm", "cholesky_right", "--n", largest, "--b", 64,
                 "--domain", f"8:{largest}", "--budget", round(options.budget))
    document = machine.json("model", "show", "--blas", blas, "--models", models, "-o", machine.path("models.svg"), name="models")
    figure.picture("models.svg")
    for context in ("warm", "cold"):
        error_claims(figure, document["models"], context)
    figure.table(["kernel", "options", "context", "boxes", "samples", "mean error", "largest", "points apart"],
                 [[m["routine"], m["options"], m["context"], m["regions"], m["samples"], *(percent(m["error"][key]) if m["error"][key] is not None
                   else "not known" for key in ("avg", "max")), m["error"]["n"]] for m in document["models"]])
    figure.note(f"{words}; one thread. Errors at points with sizes that are multiples of 8.")
    figure.save()


if __name__ == "__main__":
    main(make, __doc__, 150, 30)
