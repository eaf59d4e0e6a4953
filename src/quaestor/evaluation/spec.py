"""The spec of a run: everything that affects its results, and nothing else.

Runs with the same digest have the same results, so a run can only be resumed with the same spec. The path of the
dataset, the number of workers and the time are not part of the digest.
"""

import hashlib
import json
import secrets
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache
from importlib.metadata import version

from pydantic import JsonValue

from quaestor.core import serial
from quaestor.core.visible import visible_name
from quaestor.datasets.dataset import Dataset, Selection
from quaestor.errors import InputError
from quaestor.graph.knowledge_graph import Policy
from quaestor.settings import EXCERPT_TOKENS
from quaestor.solvers.registry import prompts_digest
from quaestor.store.records import RunKind, RunRecord


@lru_cache(maxsize=1)
def package_version() -> str:
    """Return the version of this package, cached as it is read from a file."""
    return version("quaestor")


@dataclass(frozen=True, slots=True)
class RunSpec:
    """A solver with its options over a dataset.

    Attributes:
        dataset: The file's path as given; for display, not in the digest.
        dataset_digest: Digest of the documents and questions, without answers.
        solver_options: Options of the solver (weights, the model's name, limits), as JSON.
        limit: Maximum number of conversations read from the file; None means all.
        ontology: The digest of the frozen ontology; before the run starts, None means the ontology of the
            dataset's documents.
        policy: Handling of labels missing in the ontology: `strict` fails, `extend` adds a property.
        model: The properties of the model that affect its replies; None without a model.
        prompts: The digest of the solver's prompts, without the content of pages.
        version: Version of quaestor, as other versions may answer differently.
        selection: Selected conversations of the file, by id or as a sample; None if only `limit` applies.
        folder: The folder of the documents that the questions are about; not in the digest.
        excerpt_tokens: Approximate size in tokens of the excerpt of a long document; None is the default.
    """

    solver: str
    dataset: str
    dataset_digest: str
    solver_options: dict[str, JsonValue] = field(default_factory=dict)
    limit: int | None = None
    ontology: str | None = None
    policy: Policy = "strict"
    model: dict[str, JsonValue] | None = None
    prompts: str | None = None
    version: str = field(default_factory=package_version)
    selection: Selection | None = None
    folder: str | None = None
    excerpt_tokens: int | None = None

    @classmethod
    def of(
        cls,
        dataset: Dataset,
        solver: str,
        solver_options: dict[str, JsonValue] | None = None,
        limit: int | None = None,
        ontology: str | None = None,
        policy: Policy = "strict",
        model: dict[str, JsonValue] | None = None,
        selection: Selection | None = None,
        excerpt_tokens: int = EXCERPT_TOKENS,
    ) -> "RunSpec":
        """Return the spec of `solver` over `dataset`, read with `limit`, with the current prompts."""
        options, prompts = solver_options or {}, prompts_digest(solver, solver_options)
        path = visible_name(dataset.path)  # stores accept only names in UTF-8
        folder = None if dataset.folder is None else visible_name(dataset.folder)
        return cls(
            solver,
            path,
            dataset.digest,
            options,
            limit,
            ontology,
            policy,
            model,
            prompts,
            selection=selection,
            folder=folder,
            excerpt_tokens=None if folder is None or excerpt_tokens == EXCERPT_TOKENS else excerpt_tokens,
        )

    @classmethod
    def of_run(cls, run: RunRecord) -> "RunSpec":
        """Return the spec with which a stored run was created."""
        return serial.restore(cls, run.spec)

    @property
    def digest(self) -> str:
        """SHA-256 over the spec without `dataset` and `folder`, as JSON with sorted keys.

        `selection` and `excerpt_tokens` are included only if set, so that digests without them equal those of earlier
        releases.
        """
        without = {"dataset", "folder"} | {n for n in ("selection", "excerpt_tokens") if getattr(self, n) is None}
        decisive = {name: value for name, value in serial.dump(self).items() if name not in without}
        text = json.dumps(decisive, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()

    def new_run_id(self, at: datetime) -> str:
        """Return an id for a new run: time in UTC, solver, eight random digits."""
        return f"{at.astimezone(UTC):%Y%m%d-%H%M%S}-{self.solver}-{secrets.token_hex(4)}"

    def new_run(self, started: datetime, conversations: int, kind: RunKind = "run") -> RunRecord:
        """Return the record of a new run."""
        return RunRecord(
            id=self.new_run_id(started),
            spec=serial.dump(self),
            spec_digest=self.digest,
            dataset=self.dataset,
            dataset_digest=self.dataset_digest,
            conversations=conversations,
            started=started,
            kind=kind,
        )

    def require_same(self, run: RunRecord) -> None:
        """Check that `run` was created with this spec."""
        if run.spec_digest == self.digest:
            return
        then, this = run.spec, serial.dump(self)
        names = sorted((then.keys() | this.keys()) - {"dataset", "folder"})
        changes = [
            f"{name} was {_short(then.get(name))}, now {_short(this.get(name))}"
            for name in names
            if then.get(name) != this.get(name)
        ]
        raise InputError(
            f"cannot resume run {run.id!r} with a different spec: {'; '.join(changes) or 'its digest differs'}; use "
            "the original options, or start a new run"
        )


def _short(value: object) -> str:
    text = json.dumps(value, sort_keys=True)
    return text if len(text) <= 60 else text[:57] + "..."
