"""What a process of pytest-xdist tells the one that started it: how each test ended, and little else.

By itself it tells six things of each test, and each is packed, sent, unpacked and looked at: with ten thousand tests
that adds up.
"""

from typing import Any

import pytest

_SAYS_NOTHING = ("logstart", "logfinish")
"""That a test begins or is over: shown to nobody who did not ask for more words."""


def tell_less(config: pytest.Config) -> None:
    """Has a process leave out what comes to nothing, unless what is asked for is made of it."""
    asked = config.option
    if config.get_verbosity() > 0 or asked.durations or asked.xmlpath:
        return
    for plugin in config.pluginmanager.get_plugins():
        # Its module is run and not imported there: its class is no class that can be imported.
        if type(plugin).__name__ == "WorkerInteractor":
            _leave_out(plugin)


def _leave_out(interactor: Any) -> None:
    send = interactor.sendevent

    def send_what_matters(name: str, **told: Any) -> None:
        if name in _SAYS_NOTHING:
            return
        if name == "testreport" and told["data"]["when"] != "call" and told["data"]["outcome"] == "passed":
            return
        send(name, **told)

    interactor.sendevent = send_what_matters
