"""Convert errors of requests to quaestor's errors, with advice on what to change.

Messages contain no keys: a server's text is quoted only after the caller has redacted it.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from pydantic_ai.exceptions import (
    ModelAPIError,
    ModelAuthenticationError,
    ModelConnectionError,
    ModelHTTPError,
    ModelNotFoundError,
    ModelQuotaExceededError,
    ModelTimeoutError,
    UnexpectedModelBehavior,
)

from quaestor.errors import ModelAccessError, ModelReplyError, OutageError, QuaestorError, SolverError
from quaestor.llm.naming import ModelSpec

_TRANSIENT = (408, 409, 425, 429)
_LONGEST = 200


@dataclass(frozen=True, slots=True)
class Failure:
    """One failed attempt.

    Attributes:
        retry_after: Seconds that the server asks the client to wait, or None.
    """

    error: QuaestorError
    transient: bool
    retry_after: float | None = None


def explain(failure: BaseException, spec: ModelSpec) -> Failure:
    """Classify a failed attempt."""
    for cause in _causes(failure):
        if isinstance(cause, QuaestorError):  # raised below the client and wrapped by it
            return Failure(cause, transient=False)
    if isinstance(failure, ModelHTTPError):
        return _explain_refusal(failure, spec)
    if isinstance(failure, TimeoutError | ModelTimeoutError):
        error = OutageError(f"{spec.name} did not answer within {spec.timeout:g} seconds; increase its `timeout`")
        return Failure(error, transient=True)
    if isinstance(failure, ModelConnectionError):
        return Failure(_explain_lost_connection(failure, spec), transient=True)
    reason = _short(failure)
    if isinstance(failure, ModelAPIError | UnexpectedModelBehavior):
        return Failure(ModelReplyError(f"invalid reply from {spec.name}: {reason}"), transient=True)
    named = f"{type(failure).__name__}: {reason}"
    return Failure(ModelReplyError(f"the reply of {spec.name} violates its protocol ({named})"), transient=True)


def _explain_refusal(failure: ModelHTTPError, spec: ModelSpec) -> Failure:
    status, reason = failure.status_code, _read_reason(failure)
    if isinstance(failure, ModelQuotaExceededError):
        return Failure(ModelAccessError(f"the account for {spec.name} has no credit: {reason}"), transient=False)
    if status == 401 or isinstance(failure, ModelAuthenticationError):
        return Failure(_explain_rejected_key(spec, reason), transient=False)
    if status == 404 or isinstance(failure, ModelNotFoundError):
        near = f"; did you mean {failure.suggested_model_id!r}?" if failure.suggested_model_id else ""
        error = ModelAccessError(f"unknown model {spec.model!r} at {spec.address}{near} ({reason})")
        return Failure(error, transient=False)
    if status in _TRANSIENT or status >= 500:
        hint = failure.provider_retry_hint
        wait = "" if failure.retry_after is None else f", retry after {failure.retry_after:.0f} seconds"
        outage = OutageError(f"{spec.name} is unavailable (status {status}{wait}): {reason}")
        return Failure(outage, transient=hint is not False, retry_after=failure.retry_after)
    reply: SolverError = ModelReplyError(f"{spec.name} rejected the request (status {status}): {reason}")
    return Failure(reply, transient=False)


def _explain_rejected_key(spec: ModelSpec, reason: str) -> ModelAccessError:
    where = f"correct the key in {spec.key_variable}" if spec.key_variable else "set `api_key_env` for it"
    return ModelAccessError(f"{spec.name} rejected the API key ({reason}); {where}")


def _explain_lost_connection(failure: BaseException, spec: ModelSpec) -> OutageError:
    import httpx2

    reasons = [cause for cause in _causes(failure) if isinstance(cause, httpx2.TransportError)]
    reason = str(reasons[-1]) if reasons else _short(failure)
    if any(isinstance(cause, httpx2.ConnectError | httpx2.UnsupportedProtocol) for cause in reasons):
        what = "start the server or correct the base URL" if spec.base_url else "check the network connection"
        return ModelAccessError(f"cannot connect to {spec.address} for {spec.name} ({reason}); {what}")
    return OutageError(f"the connection to {spec.name} was lost: {reason}")


def _causes(failure: BaseException) -> Iterator[BaseException]:
    seen: BaseException | None = failure
    while seen is not None:
        yield seen
        seen = seen.__cause__ or seen.__context__


def _read_reason(failure: ModelHTTPError) -> str:
    """Return the server's reason from the body of an error, without the client's additions."""
    body = failure.body
    for key in ("error", "message"):
        if isinstance(body, dict) and key in body:
            body = body[key]
    if isinstance(body, dict):
        body = body.get("message", body)
    return _shortened(str(body)) if body else "no reason given"


def _short(failure: BaseException) -> str:
    return _shortened(str(failure) or type(failure).__name__)


def _shortened(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else line[: _LONGEST - 3] + "..."
