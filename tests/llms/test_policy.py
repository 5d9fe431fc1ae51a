"""Retries, waits, budget, deadline and concurrency, on a clock that nobody waits for."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace

import pytest

from refchecker.llms.asking import Ledger, Limits, Policy, most_cost
from refchecker.llms.asking.ledger import at_most_tokens
from refchecker.llms.asking.policy import wait_seconds
from refchecker.llms.asking.slots import Slots
from refchecker.llms.types import Attempt, GaveUp, Price, Refused, Reply, Request, RetryLater, RunEnds

LIMITS = Limits(concurrency=4, attempts=4, request_seconds=100.0)
ASK = Request("system", "user", max_tokens=100)


def later(cause: str, after: float | None = None, status: int | None = None) -> RetryLater:
    return RetryLater(Attempt(cause, "told so", after, status))


@dataclass
class World:
    """A provider that gives the scripted outcomes in turn, then answers; and its time."""

    outcomes: list[Exception | Reply] = field(default_factory=list)
    takes_seconds: float = 0.0
    now: float = 0.0
    slept: list[float] = field(default_factory=list)
    sent: int = 0
    most_at_once: int = 0
    under_way: int = 0
    closed: bool = False
    signature: str = "fake/model"

    async def send(self, request: Request, /) -> Reply:
        self.sent += 1
        self.under_way += 1
        self.most_at_once = max(self.most_at_once, self.under_way)
        try:
            await asyncio.sleep(0)
            self.now += self.takes_seconds
            outcome = self.outcomes.pop(0) if self.outcomes else Reply("yes", "end", 10, 5)
        finally:
            self.under_way -= 1
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    async def close(self) -> None:
        self.closed = True

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds
        await asyncio.sleep(0)

    def policy(self, ledger: Ledger, limits: Limits = LIMITS, price: Price | None = None) -> Policy:
        return Policy(self, limits, ledger, price=price, sleep=self.sleep, chance=lambda: 0.0)

    def ledger(self, **options) -> Ledger:
        return Ledger(clock=lambda: self.now, **options)


@pytest.mark.parametrize(
    ("outcomes", "slept"),
    [
        pytest.param([], [], id="answered at once"),
        pytest.param([later("server")], [0.25], id="one failure, half of the first wait at least"),
        pytest.param([later("overloaded"), later("timeout")], [0.25, 0.5], id="the wait doubles"),
        pytest.param([later("rate_limit", 7.0), later("server")], [7.0, 0.5], id="Retry-After is honoured"),
        pytest.param([Reply("hi"), later("connection")], [], id="only its own failures count"),
    ],
)
def test_a_request_is_asked_again_until_it_is_answered(outcomes, slept):
    world = World(list(outcomes))
    ledger = world.ledger()
    reply = asyncio.run(world.policy(ledger).ask(ASK))
    assert reply.text in ("yes", "hi")
    assert world.slept == slept
    usage = ledger.usage()
    assert (usage.requests, usage.retries, usage.failed) == (1, len(slept), 0)
    assert usage.causes.keys() == {o.attempt.cause for o in outcomes[: len(slept)]}


@pytest.mark.parametrize(
    ("outcomes", "error", "sent", "says"),
    [
        pytest.param([later("server")] * 9, GaveUp, 4, "gave up after 4 attempts", id="no attempts left"),
        pytest.param([later("rate_limit", 101.0)], GaveUp, 1, "to wait 101 s", id="asked to wait too long"),
        pytest.param([Refused("too long")], Refused, 1, "too long", id="can never be answered"),
        pytest.param([RunEnds("wrong key")], RunEnds, 1, "wrong key", id="nothing can be answered"),
        pytest.param([later("connection")] * 9, RunEnds, 3, "cannot reach the server", id="never reached"),
    ],
)
def test_a_request_that_fails(outcomes, error, sent, says):
    world = World(list(outcomes))
    ledger = world.ledger()
    with pytest.raises(error, match=says):
        asyncio.run(world.policy(ledger).ask(ASK))
    assert world.sent == sent
    assert ledger.usage().failed == (error is not RunEnds)


def test_a_server_that_was_reached_is_not_given_up_for_dropped_connections():
    world = World([later("server", status=500)] + [later("connection")] * 2)
    assert asyncio.run(world.policy(world.ledger()).ask(ASK)).text == "yes"


def test_a_request_has_a_deadline_over_all_its_attempts():
    world = World([later("timeout")] * 9, takes_seconds=45.0)
    with pytest.raises(GaveUp, match=r"gave up after 3 attempts in 13\d s"):
        asyncio.run(world.policy(world.ledger()).ask(ASK))


def test_an_attempt_that_hangs_is_cut_off():
    class Hangs(World):
        async def send(self, request):
            await asyncio.sleep(60)

    world = Hangs()
    with pytest.raises(GaveUp, match="no answer within"):
        asyncio.run(world.policy(world.ledger(), replace(LIMITS, attempts=1, request_seconds=0.01)).ask(ASK))


def test_the_end_of_the_run_reaches_every_client_and_every_waiting_request():
    world = World([later("server"), *[RunEnds("wrong key")] * 9])
    ledger = world.ledger()

    async def everything():
        asks = [world.policy(ledger).ask(replace(ASK, sample=i)) for i in range(10)]
        return await asyncio.gather(*asks, return_exceptions=True)

    errors = asyncio.run(everything())
    assert {str(error) for error in errors} == {"wrong key"}
    assert world.sent <= 4


def test_the_run_has_a_deadline():
    world = World(takes_seconds=30.0)
    ledger = world.ledger(deadline_seconds=100.0)

    async def one_after_another():
        policy = world.policy(ledger)
        for _ in range(10):
            await policy.ask(ASK)

    with pytest.raises(RunEnds, match=r"--deadline of 100 s has passed\. Every answer so far is kept"):
        asyncio.run(one_after_another())
    assert world.sent == 4


def test_max_cost_is_never_passed_and_used_as_far_as_it_goes():
    world = World()
    price = Price(input=100_000.0, output=1_000_000.0)  # 10 and 5 tokens: 1 + 5 = 6 dollars an answer
    most = most_cost(ASK, price)
    assert most > 100
    ledger = world.ledger(max_cost=150.0)

    async def many():
        asks = [world.policy(ledger, price=price).ask(replace(ASK, sample=i)) for i in range(40)]
        return await asyncio.gather(*asks, return_exceptions=True)

    answers = asyncio.run(many())
    spent = ledger.usage().cost
    assert spent is not None
    assert 150.0 - most < spent <= 150.0
    assert sum(isinstance(answer, Reply) for answer in answers) == spent / 6
    [said] = {str(answer) for answer in answers if isinstance(answer, RunEnds)}
    assert f"${spent:.4f} is spent" in said
    assert "with a higher --max_cost" in said


def test_an_attempt_that_may_have_been_billed_counts_in_full():
    price = Price(1.0, 1.0)
    world = World([later("server", status=500), later("timeout"), later("rate_limit", 0.0, 429)])
    ledger = world.ledger()
    asyncio.run(world.policy(ledger, price=price).ask(ASK))
    assert ledger.usage().cost == pytest.approx(most_cost(ASK, price) + 15e-6)


def test_an_unknown_price_is_not_zero():
    world = World()
    ledger = world.ledger()
    asyncio.run(world.policy(ledger).ask(ASK))
    assert ledger.usage().cost is None
    assert ledger.usage().input_tokens == 10


def test_who_waits_for_another_attempt_is_told():
    lines: list[str] = []
    world = World([later("rate_limit", 1.0)])
    asyncio.run(world.policy(world.ledger(notice=lines.append)).ask(ASK))
    assert lines == ["1 retrying, last for rate_limit", ""]


def test_no_more_requests_are_under_way_than_allowed():
    world = World()

    async def many():
        policy = world.policy(world.ledger())
        await asyncio.gather(*(policy.ask(replace(ASK, sample=i)) for i in range(50)))

    asyncio.run(many())
    assert (world.sent, world.most_at_once) == (50, 4)


def test_an_attempt_under_way_is_not_thrown_away_when_nobody_waits_any_more():
    gate = asyncio.Event()

    class Slow(World):
        async def send(self, request):
            await gate.wait()
            return await super().send(request)

    async def cancelled():
        ledger = Ledger()
        task = asyncio.ensure_future(Slow().policy(ledger).ask(ASK))
        await asyncio.sleep(0.01)
        task.cancel()
        gate.set()
        assert (await task).text == "yes"
        assert ledger.usage().requests == 1

    asyncio.run(cancelled())


class TestSlots:
    def server(self, bears: int, requests: int = 4000) -> tuple[int, float]:
        """The slots in the end, and the share refused, at a server that bears so many at once."""

        async def all_of_them():
            slots = Slots(64)
            inside = refused = 0

            async def one():
                nonlocal inside, refused
                await slots.enter()
                inside += 1
                try:
                    for _ in range(3):
                        await asyncio.sleep(0)
                    if inside > bears:
                        refused += 1
                        slots.refused()
                    else:
                        slots.answered()
                finally:
                    inside -= 1
                    slots.leave()

            await asyncio.gather(*(one() for _ in range(requests)))
            return slots.allowed, refused / requests

        return asyncio.run(all_of_them())

    @pytest.mark.parametrize("bears", [2, 8, 30])
    def test_they_settle_at_what_the_server_bears(self, bears):
        allowed, refused = self.server(bears)
        assert bears - 2 <= allowed <= bears * 1.15 + 3
        assert refused < 0.18

    def test_a_server_that_bears_all_is_used_in_full(self):
        assert self.server(64) == (64, 0.0)

    def test_seldom_refusals_cost_no_slot_for_long(self):
        slots = Slots(64)
        for i in range(10_000):
            slots.refused() if i % 30 == 0 else slots.answered()
        assert slots.allowed >= 62

    def test_there_is_always_one(self):
        slots = Slots(3)
        for _ in range(100):
            slots.refused()
        assert slots.allowed == 1


def test_a_slot_given_to_one_that_is_cancelled_goes_to_the_next():
    async def scene():
        slots = Slots(1)
        await slots.enter()
        first, second = (asyncio.ensure_future(slots.enter()) for _ in range(2))
        await asyncio.sleep(0)
        slots.leave()  # gives the slot to `first` ...
        first.cancel()  # ... which is cancelled before it runs
        await asyncio.wait_for(second, 5)
        assert first.cancelled()

    asyncio.run(scene())


@pytest.mark.parametrize(
    ("attempts", "chance", "seconds"),
    [(1, 0.0, 0.25), (1, 1.0, 0.5), (3, 1.0, 2.0), (50, 1.0, 60.0)],
)
def test_waits_grow_and_are_spread(attempts, chance, seconds):
    assert wait_seconds(Attempt("server", ""), attempts, Limits(), chance) == seconds


def test_the_guess_of_the_most_tokens_is_above_the_usual():
    text = "The quick brown fox jumps over the lazy dog. " * 20
    assert at_most_tokens(Request(text, "", max_tokens=1)) > 200 * 1.5
