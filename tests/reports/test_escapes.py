"""Templates of the user: whatever they ask for, they show what they were given, or the report stops and names them."""

from __future__ import annotations

import pickle
import re
from typing import TYPE_CHECKING, Any

import pytest

from reports import TemplateFaultError, write_report
from reports.material import Material
from reports.output.rendering import render
from reports.output.write import given
from reports.page.context import page
from tests.analysis.synthetic import campaign
from tests.reports.sample import run
from tests.reports.samples_in_time import engine_samples

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def data() -> dict[str, Any]:
    """What templates get of a run."""
    records = campaign(blocks=2)
    return given(page(Material(run(records, time_series=engine_samples(records)))), "/* Vega */")


class Touch:
    """Creates a file where it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[object, ...]:
        return open, (str(self.path), "w")


ESCAPES = {
    "unpickle": "{{ page.decision.parse_raw(PICKLE, content_type='pickle', allow_pickle=true) }}",
    "unpickle by a part": "{{ page.decision.counts.parse_raw(PICKLE, proto='pickle', allow_pickle=true) }}",
    "construct a model": "{{ page.decision.model_construct(question='x') }}",
    "a frame's file": "{{ (page.run.time_series.values() | first).to_csv(VICTIM) }}",
    "a record": "{{ page.run.records[0].model_dump_json() }}",
    "a number's file": "{{ page.decision.criteria.confidence_percent.tofile(VICTIM) }}",
    "a property's function": "{{ page.charts() | list }}",
    "dunder": "{{ page.__class__.__mro__[1].__subclasses__() }}",
    "dunder of text": "{{ ''.__class__.__mro__ }}",
    "dunder by filter": "{{ '' | attr('__class__') }}{{ ('' | attr('__class__')).__mro__ }}",
    "dunder by map": "{{ [''] | map(attribute='__class__') | map(attribute='__mro__') | list }}",
    "dunder by map and attr": "{{ [''] | map('attr', '__class__') | map('attr', '__mro__') | join }}",
    "dunder by item": "{{ ''['__class__']['__mro__'] }}",
    "format": "{{ '{0.__class__.__mro__}'.format(page) }}",
    "format by attr": "{{ ('{0.__class__.__mro__}' | attr('format'))(page) }}",
    "format_map": "{{ '{x.__class__.__mro__}'.format_map({'x': page}) }}",
    "globals of cycler": "{{ cycler.__init__.__globals__.os.popen('id').read() }}",
    "globals of joiner": "{{ joiner.__init__.__globals__ }}",
    "globals of namespace": "{{ namespace.__init__.__globals__ }}",
    "globals of lipsum": "{{ lipsum.__globals__['os'] }}",
    "globals of a macro": "{% macro m() %}{% endmacro %}{{ m._func.__globals__ }}",
    "globals of a filter": "{{ self._TemplateReference__context.environment }}",
    "a loop's insides": "{% for one in [1] %}{{ loop._iterator.gi_frame }}{% endfor %}",
    "an imported module's insides": "{% import 'pressgauge/macros.html' as d %}{{ d._body_stream }}{{ d.__init__ }}",
    "changing what is given": "{% do page.clear() %}",
    "changing it in an expression": "{{ page.clear() }}{{ page.pop('run') }}",
    "include by path": "{% include '/etc/passwd' %}",
    "include upwards": "{% include '../secret' %}",
    "include upwards by ours": "{% include 'pressgauge/../write.py' %}",
    "include by link": "{% include 'linked' %}",
    "include by linked folder": "{% include 'linked-folder/secret' %}",
    "extends by link": "{% extends 'linked' %}",
    "a range": "{{ range(10 ** 9) | list | length }}",
    "a product": "{{ 'x' * 10 ** 11 }}",
    "padding": "{{ 'x'.ljust(10 ** 11) }}",
    "padding by format": "{{ '%99999999999d' | format(1) }}",
    "doubling": "{% set n = namespace(x='xxxxxxxx') %}{% for _ in range(60) %}{% set n.x = n.x ~ n.x %}{% endfor %}",
    "including itself": "{% include 'report.html' %}",
    "a macro without end": "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
    "another type": "{{ 1 + 'x' }}",
}


@pytest.mark.parametrize("attempt", ESCAPES)
def test_what_is_tried_stops_the_report_and_is_named(tmp_path: Path, data: dict[str, Any], attempt: str) -> None:
    victim, secret, mine = tmp_path / "victim", tmp_path / "secret", tmp_path / "mine"
    mine.mkdir()
    secret.write_text("a secret")
    (mine / "linked").symlink_to(secret)
    (mine / "linked-folder").symlink_to(tmp_path)
    template = ESCAPES[attempt].replace("VICTIM", repr(str(victim)))
    template = template.replace("PICKLE", repr(pickle.dumps(Touch(victim), protocol=0).decode()))
    (mine / "report.html").write_text("\n" + template)
    with pytest.raises(TemplateFaultError, match=re.escape(str(mine))):
        render(data, mine)
    assert not victim.exists()


def test_a_template_that_never_ends_is_ended(
    tmp_path: Path, data: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("reports.output.rendering.CPU_S", 1)
    endless = "{% for a in range(100000) %}{% for b in range(100000) %}{% endfor %}{% endfor %}"
    (tmp_path / "report.md").write_text(endless)
    with pytest.raises(TemplateFaultError, match="more than 1 s"):
        render(data, tmp_path)


def test_a_template_that_is_itself_a_link_out_of_the_folder_is_not_read(tmp_path: Path, data: dict[str, Any]) -> None:
    secret, mine = tmp_path / "secret", tmp_path / "mine"
    mine.mkdir()
    secret.write_text("a secret")
    (mine / "report.md").symlink_to(secret)
    with pytest.raises(TemplateFaultError, match=r"report\.md leads out of the folder"):
        render(data, mine)


def test_links_within_the_folder_and_to_it_are_followed(tmp_path: Path, data: dict[str, Any]) -> None:
    there, mine = tmp_path / "there", tmp_path / "mine"
    there.mkdir()
    (there / "footer.html").write_text("Team {{ page.run.campaign }}")
    (there / "report.html").symlink_to("footer.html")
    mine.symlink_to(there)
    assert render(data, mine)["index.html"] == "Team quick"


def test_every_name_that_the_documentation_promises_is_there(tmp_path: Path) -> None:
    """All of them at once, with the macros, and a script of the user's own."""
    (tmp_path / "report.html").write_text(
        """{% extends "pressgauge/report.html" %}
{% block footer %}{% import "pressgauge/macros.html" as draw %}
{% for name in ("campaign", "run_id", "question", "command", "spec_text", "arms", "engines", "datasets", "versions") %}
{{ name }}={{ page.run[name] }};{% endfor %}
{{ page.run.versions.mongod }} {{ page.decision.recommendations[0].choice.arm }} {{ page.decision.counts.trials }}
{{ page.period }} {{ page.undecided.text }}{% for one in page.notices %}{{ one.level }}{{ one.text }}{{ one.details }}
{% endfor %}
{% for one in page.platform_steps + page.engine_steps %}
{{ one.baseline }}{{ one.to }}{{ one.sentence }}{{ one.reasons }}
{{ draw.table(one.primary, "x") }}{% endfor %}
{% for group in page.groups %}{{ group.label }}{{ group.answer.headline }}{{ group.answer.sentence }}
{{ group.answer.checks }}{{ group.answer.reasons }}{{ draw.glance(group.glance, "y") }}
{% for one in group.figures + [group.effects] + group.tradeoffs + group.files %}
{{ one.key }}{{ one.title }}{{ one.caption }}{{ one.spec.height }}{{ draw.chart(one) }}
{{ one.table.columns }}{% endfor %}
{% for phase in group.phases %}{{ phase.workload }}{% endfor %}
{{ draw.table(group.latency_table, "z") }}{{ draw.table(group.ratios, "z") }}{% endfor %}
{{ draw.table(page.trials, "z") }}{{ draw.table(page.settings, "z") }}<script nonce="{{ nonce }}">1</script>
{% endblock %}"""
    )
    write_report(run(campaign(void={(1, "zlib")}, engines=("6.0.5", "6.0.27"))), tmp_path / "report", tmp_path)
    html = (tmp_path / "report/index.html").read_text()
    assert "campaign=quick;" in html
    nonce = re.search(r'<script nonce="([0-9a-f]{32})">1</script>', html)
    assert nonce
    assert f"'nonce-{nonce[1]}'" in html.partition("<title>")[0]


def test_a_script_of_the_users_has_another_token_each_time(tmp_path: Path, data: dict[str, Any]) -> None:
    (tmp_path / "report.html").write_text("{{ nonce }}")
    assert len({render(data, tmp_path)["index.html"] for _ in range(2)}) == 2
