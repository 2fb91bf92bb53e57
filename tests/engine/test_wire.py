import json
import re
from hashlib import sha256

import pytest

from engine import wire
from engine.clock import TimeControl
from tests.engine.scripted import GAME, SEED


def test_start_has_all_fields_of_the_protocol():
    state = GAME.new_initial_state(2, SEED)
    line = wire.start(wire.seat_info(state, 1, 811), TimeControl(5000, 1000, 10000))
    assert json.loads(line) == {
        "type": "start",
        "protocol": 1,
        "game": "sealed-bids",
        "edition": "1",
        "player": 1,
        "players": 2,
        "options": {},
        "random_seed": 811,
        "time": {"start_ms": 5000, "move_ms": 1000, "bank_ms": 10000},
    }


def test_decide_has_all_fields_of_the_protocol_in_whole_milliseconds():
    line = wire.decide(
        request_id="c81e728d9d4c2f63",
        player=2,
        observation={"hand": ["é"]},
        events=[{"kind": "start", "visible_to": None}],
        legal_actions=["play knight", "pass"],
        bank_ms=9499.9,
        previous_ms=12.4,
    )
    assert b"\n" not in line
    assert json.loads(line.decode()) == {
        "type": "decide",
        "id": "c81e728d9d4c2f63",
        "player": 2,
        "observation": {"hand": ["é"]},
        "events": [{"kind": "start", "visible_to": None}],
        "legal_actions": ["play knight", "pass"],
        "bank_ms": 9499,
        "previous_ms": 12,
    }


def test_end_tells_places_as_ranks():
    assert json.loads(wire.end([5, -1], [2, 1])) == {
        "type": "end",
        "scores": [5, -1],
        "ranks": [2, 1],
    }


def test_random_seed_is_the_start_of_a_hash_of_seed_rotation_and_seat():
    # Given: 32 bytes 0x5e, "bot", a zero byte, rotation 3, seat 1.
    digest = sha256(b"\x5e" * 32 + b"bot" + b"\x00" + b"\x03" + b"\x01").hexdigest()
    assert wire.random_seed(SEED, 3, 1) == int(digest[:8], 16)
    with pytest.raises(ValueError, match="rotation 256"):
        wire.random_seed(SEED, 256, 1)


def test_an_answer_echoes_the_id_and_unknown_keys_are_ignored():
    line = b'{"id":"ab","action":"pass","mood":[1.5,null],"note":"why not"}'
    assert wire.parse_answer(line, "ab") == ("pass", "why not")
    assert wire.parse_answer(b' {"action" : "pass", "id": "ab"}\r', "ab") == ("pass", None)
    assert wire.parse_answer(b'{"id":"ab","action":"pass","note":null}', "ab") == ("pass", None)


def test_a_note_has_up_to_200_characters_whatever_their_bytes():
    line = json.dumps({"id": "ab", "action": "pass", "note": "🐉" * 200}).encode()
    assert wire.parse_answer(line, "ab") == ("pass", "🐉" * 200)


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        (b"", "not JSON"),
        (b"pass", "not JSON"),
        (b'{"id":"ab","action":"pass"', "not JSON"),
        (b'{"id":"ab","action":"pass"} {}', "not JSON"),
        (b'{"id":"ab","action":"p\xff"}', r"not UTF-8 \(byte 22\)"),
        ('{"id":"ab","action":"pass"}'.encode("utf-16"), "not UTF-8"),
        (b'\xef\xbb\xbf{"id":"ab","action":"pass"}', "not JSON"),
        (b'["ab","pass"]', "a list instead of an object"),
        (b"null", "null instead of an object"),
        (b'{"action":"pass"}', 'no "id"'),
        (b'{"id":"ac","action":"pass"}', 'not that of the request, "ab"'),
        (b'{"id":171,"action":"pass"}', 'not that of the request, "ab"'),
        (b'{"id":"ab"}', 'no "action"'),
        (b'{"id":"ab","action":0}', '"action" must be a string, not a number'),
        (b'{"id":"ab","action":true}', "not a boolean"),
        (b'{"id":"ab","action":null}', "not null"),
        (b'{"id":"ab","action":["pass"]}', "not a list"),
        (b'{"id":"ab","action":{}}', "not an object"),
        (b'{"id":"ab","id":"ab","action":"pass"}', "the same key twice"),
        (b'{"id":"ab","action":"pass","x":{"y":1,"y":1}}', "the same key twice"),
        (b'{"id":"ab","action":"pass","x":NaN}', "NaN is not a JSON value"),
        (b'{"id":"ab","action":"pass","x":-Infinity}', "-Infinity is not a JSON value"),
        (b'{"id":"ab","action":"pass","x":' + b"9" * 60000 + b"}", "60000 digits"),
        (b'{"id":"ab","action":"pass","x":' + b"[" * 60000, "nested too deep"),
        (b'{"id":"ab","action":"pass","x":' + b'{"a":' * 10000, "nested too deep"),
        (b'{"id":"ab","action":"pass","note":7}', '"note" must be a string, not a number'),
        (b'{"id":"ab","action":"pass","note":"' + b"n" * 201 + b'"}', "201 characters.* 200"),
        (b'{"id":"ab","action":"pass","note":"\\ud83d"}', "half of a surrogate pair"),
    ],
)
def test_an_answer_that_breaks_the_form_is_refused_with_the_reason(line, complaint):
    with pytest.raises(wire.WireError, match=complaint):
        wire.parse_answer(line, "ab")


def test_ready_is_the_only_answer_to_start():
    wire.parse_ready(b'{"type":"ready","name":"me"}')
    for line in (b'{"type":"Ready"}', b"{}", b'{"type":["ready"]}', b"ready", b'"ready"'):
        with pytest.raises(wire.WireError, match=re.escape('expected {"type":"ready"}')):
            wire.parse_ready(line)


def test_canonical_json_is_one_text_for_equal_values():
    assert wire.canonical_json({"b": [1, None], "a": "é"}) == '{"a":"\\u00e9","b":[1,null]}'
    with pytest.raises(ValueError, match="JSON"):
        wire.canonical_json(float("nan"))
