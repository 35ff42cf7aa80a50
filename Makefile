# A thin face over `python -m harness`; `make help` lists the targets. make itself ends with 2 whenever a command
# fails; programs that need the exit code call `.venv/bin/python -m harness …` after `make setup`.

CAMPAIGN ?= quick
RESULTS  ?= results
INVENTORY ?= local
RUN      ?= $(RESULTS)/$(CAMPAIGN)/latest
PYTHON   := .venv/bin/python
ENGINE   := .pressgauge/engines/pypi-6.0.5/bin/mongod
HARNESS  := $(PYTHON) -m harness
MAVEN    := mvn -q -f workloads/java/pom.xml
MAVEN_BENCH := mvn -q -f workloads/bench/java/pom.xml
MAVEN_LIST := org.apache.maven.plugins:maven-dependency-plugin:3.8.1:list
stored    = --store "$(STORE)" $(if $(ENDPOINT),--endpoint "$(ENDPOINT)")
cloud_home = $(if $(HOME_DIR),--home "$(HOME_DIR)")
options   = --inventory "$(INVENTORY)" $(cloud_home)
documents = $(if $(DATA),"$(DATA)") $(if $(URI_FILE),--uri-file "$(URI_FILE)") $(if $(COLLECTION),--collection "$(COLLECTION)") \
            $(if $(ANONYMISE),--anonymise="$(ANONYMISE)") $(if $(MOST_CHANGE),--most-change "$(MOST_CHANGE)")

ifneq ($(filter-out plain json quiet,$(PROGRESS)),)
$(error PROGRESS=$(PROGRESS): choose plain, json or quiet, or leave it out)
endif

# Where the environment forbids bytecode, every command, and Ansible within it, would compile its packages anew.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help setup setup-test run-campaign plan estimate sample mirror profile-dataset replay import-ycsb check-engine doctor report decide verify rederive times check-regression baseline cloud-up cloud-estimate cloud-list cloud-down push pull store-list test test-fast prove-hosts audit lint format bench bench-codecs bench-report check-gate check-pairs prove-store screenshot docs lock clean tear-down chaos

help: ## This list
	@awk 'BEGIN {FS = ":.*## "} /^##@/ {printf "\n%s\n", substr($$0, 5)} \
	     /^[a-z-]+:.*## / {printf "  make %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
	@printf '\nVariables: CAMPAIGN=%s RESULTS=%s INVENTORY=%s NEW=1 PROGRESS=plain|json|quiet RUN=<folder> HOME_DIR=<folder>\n' \
	     "$(CAMPAIGN)" "$(RESULTS)" "$(INVENTORY)"

##@ Answer a question
run-campaign: setup ## Run or resume CAMPAIGN and write its report (default: quick, about eleven minutes)
	@$(HARNESS) run "$(CAMPAIGN)" --results "$(RESULTS)" $(options) $(if $(NEW),--new) $(if $(PROGRESS),--$(PROGRESS))

plan: setup ## What CAMPAIGN would run, in which order, and the time and disk it needs
	@$(HARNESS) plan "$(CAMPAIGN)" $(if $(FROM),--from "$(FROM)")

estimate: setup ## What DATA=file or folder (or URI_FILE=file COLLECTION=db.name) would take under each compressor, level and page size (PRICE=0.08 ANONYMISE=1 NAME=… ENGINE_VERSION=6.0.27)
	@$(HARNESS) estimate $(documents) --results "$(RESULTS)" $(options) $(if $(PRICE),--price "$(PRICE)") \
	     $(if $(NAME),--name "$(NAME)") $(if $(ENGINE_VERSION),--engine "$(ENGINE_VERSION)")

sample: setup ## A sample of DATA=file or folder (or URI_FILE=file COLLECTION=db.name) in INTO=folder, to estimate elsewhere (SIZE=64MB SEED=2 ANONYMISE=1)
	@$(HARNESS) sample $(documents) --results "$(RESULTS)" $(if $(INTO),--into "$(INTO)") $(if $(SIZE),--size "$(SIZE)") $(if $(SEED),--seed "$(SEED)")

mirror: setup ## A campaign of a deployment: URI_FILE=file COLLECTION=db.name[,db.name…] NAME=name, looked at for SECONDS=120, anonymised unless ANONYMISE=0 (SIZE=64MB INTO=campaigns)
	@$(HARNESS) mirror $(documents) --name "$(NAME)" --results "$(RESULTS)" $(if $(SECONDS),--seconds "$(SECONDS)") \
	     $(if $(SIZE),--size "$(SIZE)") $(if $(INTO),--into "$(INTO)")

profile-dataset: setup ## How far codecs compress DATA (file, folder or campaign) and how fast, by block size and processes (BYTES=16MiB PROCESSES=2)
	@$(if $(DATA),,$(error profile-dataset needs DATA=<a file, a folder or a campaign>))
	@$(HARNESS) profile-dataset "$(DATA)" --results "$(RESULTS)" $(cloud_home) $(if $(NAME),--name "$(NAME)") \
	     $(if $(DATASET),--dataset "$(DATASET)") $(if $(AS_BYTES),--as-bytes) $(if $(BYTES),--bytes "$(BYTES)") \
	     $(if $(PROCESSES),--processes "$(PROCESSES)") $(if $(CODECS),--codecs "$(CODECS)")

replay: setup ## Replay RECORDING (mongod's recorded traffic, or a dump of system.profile) into every arm: DATA=documents at its beginning, or CAMPAIGN=… (SPEED=2|max COLLECTION=db.name NAME=…)
	@$(if $(RECORDING),,$(error replay needs RECORDING=<a file>))
	@$(HARNESS) replay "$(RECORDING)" --results "$(RESULTS)" $(options) $(if $(DATA),--data "$(DATA)") $(if $(filter-out file,$(origin CAMPAIGN)),--campaign "$(CAMPAIGN)") \
	     $(if $(SPEED),--speed "$(SPEED)") $(if $(COLLECTION),--collection "$(COLLECTION)") $(if $(NAME),--name "$(NAME)") \
	     $(if $(NEW),--new) $(if $(PROGRESS),--$(PROGRESS))

tear-down: setup ## End everything that a killed run left on the hosts (the next run does so by itself)
	@$(HARNESS) tear-down $(options)

import-ycsb: setup ## Make a campaign and a mix of FILE, a property file of YCSB's own workloads; INTO=folder
	@$(HARNESS) import-ycsb "$(FILE)" $(if $(INTO),--into "$(INTO)")

check-engine: setup ## Run everything on ENGINE_BINARY=/path/to/mongod once (a few minutes), and say what it has otherwise than is known of its version
	@$(if $(ENGINE_BINARY),,$(error check-engine needs ENGINE_BINARY=/path/to/mongod))
	@$(HARNESS) check-engine "$(ENGINE_BINARY)" --results "$(RESULTS)" $(cloud_home) $(if $(ENGINE_VERSION),--engine "$(ENGINE_VERSION)")

doctor: setup ## What on this host would distort the numbers
	@$(HARNESS) doctor "$(CAMPAIGN)" $(options)

##@ Look at a run
report: setup ## Render RUN's report again, offline
	@$(HARNESS) report "$(RUN)" $(if $(TEMPLATE),--template "$(TEMPLATE)")

decide: setup ## Print RUN's decision; fails when a constraint is not met
	@$(HARNESS) decide "$(RUN)"

verify: setup ## Check every file and figure of RUN (FINGERPRINT=as noted when it ended)
	@$(HARNESS) verify "$(RUN)" $(if $(FINGERPRINT),--fingerprint "$(FINGERPRINT)")

rederive: setup ## Derive RUN's records again from their evidence, as this version reads it
	@$(HARNESS) rederive "$(RUN)"

times: setup ## Where the time of RUN's trials went: total, outside their phases, by step
	@$(HARNESS) times "$(RUN)"

check-regression: setup ## Has CANDIDATE got worse than BASELINE (a run, a folder of runs, a baseline file)? STRICT=1 TOLERANCES=file GATE=options
	@$(HARNESS) gate "$(BASELINE)" "$(CANDIDATE)" $(if $(TOLERANCES),--tolerances "$(TOLERANCES)") $(if $(STRICT),--strict) $(GATE)

baseline: setup ## Write RUN to the baseline file FILE, small enough for a repository
	@$(HARNESS) baseline "$(RUN)" "$(FILE)"

##@ Hosts on EC2
cloud-up: setup ## Start the hosts of CAMPAIGN's cloud section (HOSTS=a,b for some) and write their inventory; YES=1 skips the question
	@$(HARNESS) cloud-up "$(CAMPAIGN)" $(if $(HOSTS),--hosts "$(HOSTS)") $(cloud_home) $(if $(YES),--yes)

cloud-estimate: setup ## What cloud-up would start and cost; starts nothing
	@$(HARNESS) cloud-up "$(CAMPAIGN)" $(if $(HOSTS),--hosts "$(HOSTS)") $(cloud_home) --estimate

cloud-list: setup ## Which hosts are up, and what they cost per hour
	@$(HARNESS) cloud-list $(if $(REGION),--region "$(REGION)")

cloud-down: setup ## Remove your hosts of CAMPAIGN and everything that came with them
	@$(HARNESS) cloud-down "$(CAMPAIGN)" $(cloud_home)

##@ Keep runs in a store
push: setup ## Send RUN to STORE=s3://bucket/prefix (ENDPOINT=… for other servers), and write the store's index
	@$(HARNESS) push "$(RUN)" $(stored)
	@$(HARNESS) store-list $(stored)

pull: setup ## Fetch RUN=<campaign>/<run-id or latest> from STORE
	@$(HARNESS) pull "$(RUN)" --results "$(RESULTS)" $(stored)

store-list: setup ## List the runs in STORE
	@$(HARNESS) store-list $(stored)

##@ Work on Pressgauge
setup: ## Install what a campaign needs (every command does it by itself)
	@harness/setup.sh run

setup-test: ## Install what the tests need in addition
	@harness/setup.sh test

test: setup-test lint ## Everything: linters, type checks, unit and property tests, then real mongods
	@$(MAVEN) verify
	@$(MAKE) -s halves

test-fast: setup-test lint ## Linters, type checks, and the tests that need no engine, without the fuzzing
	@$(MAKE) -s halves ONLY="and not real and not long"

# Two halves side by side (tests/conftest.py says which test is in which half), each with its own Pressgauge folder,
# because a folder allows one campaign at a time.
.PHONY: halves tests tests-beside
halves:
	@$(MAKE) -s -k -j2 tests tests-beside; ended=$$?; cat .pressgauge/tests-beside.log; exit $$ended

tests:
	@$(PYTHON) -m pytest --durations=8 -m "not beside $(ONLY)"

tests-beside:
	@PRESSGAUGE_HOME="$(CURDIR)/.pressgauge/beside" $(PYTHON) -m pytest --durations=8 -m "beside $(ONLY)" > .pressgauge/tests-beside.log 2>&1

prove-hosts: setup-test ## A link cut, a host lost, two platforms side by side, over SSH between network namespaces (needs root; ten minutes)
	@$(PYTHON) -m pytest -q tests/proofs/faults_on_hosts.py tests/proofs/platforms_on_hosts.py

lint: setup-test ## Linters and type checks only
	@.venv/bin/ruff check .
	@.venv/bin/ruff format --check .
	@.venv/bin/mypy
	@PATH="$(CURDIR)/.venv/bin:$$PATH" ANSIBLE_CONFIG=ansible/ansible.cfg .venv/bin/ansible-lint -q --offline
	@.venv/bin/yamllint -s campaigns ansible
	@$(MAVEN) spotless:check
	@$(MAVEN_BENCH) spotless:check

format: setup-test ## Format Python and Java
	@.venv/bin/ruff check --fix . && .venv/bin/ruff format .
	@$(MAVEN) spotless:apply
	@$(MAVEN_BENCH) spotless:apply

.PHONY: fuzz
fuzz: setup-test ## Ten thousand damaged files for every reader (hours)
	@PRESSGAUGE_FUZZ=10000 $(PYTHON) -m pytest tests/fuzz -k "own_error" --durations=0

audit: setup-test ## Known vulnerabilities of the locked packages (OSV=url of a mirror of osv.dev), and the client's packages
	@$(MAVEN) $(MAVEN_LIST) -DincludeScope=runtime -DoutputFile=$(CURDIR)/.pressgauge/java.txt
	@cat .pressgauge/java.txt
	@$(PYTHON) -m tests.proofs.audit $(OSV)

chaos: setup-test ## Fifty kills at random moments: nothing lost, nothing left (KILLS, SEED, CPU_LIMIT=1.5; half an hour)
	@test -x $(ENGINE) || $(HARNESS) run smoke --results .pressgauge/bench --quiet
	@$(PYTHON) -m tests.proofs.chaos $(if $(KILLS),--kills $(KILLS)) $(if $(SEED),--seed $(SEED)) \
	     $(if $(CPU_LIMIT),--cpu-limit $(CPU_LIMIT))

bench: setup ## Client CPU per operation of the load generator, compared with a bare loop on the same driver (four minutes)
	@test -x $(ENGINE) || $(HARNESS) run smoke --results .pressgauge/bench --quiet
	@$(PYTHON) -m workloads.bench --mongod $(ENGINE) --corpus .pressgauge/datasets --out "$(RESULTS)/bench.json"

bench-codecs: setup-test ## Codecs and digests in the JVM (JMH) and natively, on DATA (default: the campaign quick), to codecs.json (five minutes)
	@$(MAVEN_BENCH) package
	@cd "$(HOME)/.m2/repository" && sha256sum --check --strict --quiet --ignore-missing "$(CURDIR)/requirements/bench-java.lock"
	@$(PYTHON) -m tests.proofs.codecs "$(or $(DATA),quick)" "$(RESULTS)" workloads/bench/java/target/pressgauge-bench.jar

bench-report: setup-test ## Time to render a report in a fresh process: of 12 and of 1,000 trials, or of RENDER=<run>
	@$(PYTHON) -m tests.reports.bench $(RENDER)

screenshot: setup-test ## Write a picture of the top of RUN's report to PICTURE (default: docs/report.png); NUMBERED=1 as in docs/sample-report.md
	@$(PYTHON) -m tests.reports.screenshot "$(RUN)/report/index.html" "$(or $(PICTURE),docs/report.png)" $(if $(NUMBERED),--numbered)

prove-store: setup-test ## Send a run of 1 GB to an S3 store and back, killed half-way: bit-identical, in at most 200 MB (two minutes)
	@$(PYTHON) -m tests.harness.prove_store

check-gate: setup ## Plant regressions, and check that the gate finds each (twenty minutes)
	@for campaign in planted-writes planted-reads; do \
	     $(HARNESS) run tests/gate/$$campaign.yaml --results .pressgauge/check-gate $(if $(NEW),--new) $(if $(PROGRESS),--$(PROGRESS)); \
	 done
	@$(PYTHON) -m tests.gate.check .pressgauge/check-gate

check-pairs: setup ## Run one campaign seven times, and check that the gate passes each pair (ten minutes)
	@for run in 1 2 3 4 5 6 7; do \
	     $(HARNESS) run tests/gate/again.yaml --results .pressgauge/check-pairs --new $(if $(PROGRESS),--$(PROGRESS)) || exit; \
	 done
	@$(PYTHON) -m tests.gate.pairs .pressgauge/check-pairs/again

docs: setup ## Generate docs/spec.md, docs/metrics.md and the records' JSON Schema from the types
	@$(PYTHON) -m harness.spec.reference

COMPILE := .venv/bin/uv pip compile -q --upgrade --generate-hashes --universal --python-version 3.11 \
           --no-header --no-annotate --no-emit-index-url --no-emit-find-links

lock: lock-java setup ## Lock the newest versions of the Python packages, and all that the pom asks Maven for, with their hashes
	@$(COMPILE) pyproject.toml requirements/run.in -o requirements/run.lock
	@$(COMPILE) pyproject.toml requirements/dev.in -c requirements/run.lock -o .pressgauge/dev.lock
	@awk 'NR == FNR { if (/^[^ ]/) seen[$$0]; next } /^[^ ]/ { other = !($$0 in seen) } other' \
	     requirements/run.lock .pressgauge/dev.lock > requirements/dev.lock
	@rm .pressgauge/dev.lock

DIGESTS := find * -name '*.jar' -o -name '*.pom' | LC_ALL=C sort | xargs sha256sum

.PHONY: lock-java
lock-java:
	@rm -rf .pressgauge/lock
	@$(MAVEN) -Dmaven.repo.local="$(CURDIR)/.pressgauge/lock" -DskipTests package
	@sha256sum workloads/java/pom.xml > requirements/java.lock
	@cd .pressgauge/lock && $(DIGESTS) >> "$(CURDIR)/requirements/java.lock"
	@rm -rf .pressgauge/lock
	@$(MAVEN_BENCH) -Dmaven.repo.local="$(CURDIR)/.pressgauge/lock" package
	@cd .pressgauge/lock && $(DIGESTS) > "$(CURDIR)/requirements/bench-java.lock"
	@rm -rf .pressgauge/lock

clean: ## Remove everything that set-up and builds made; keep results
	@rm -rf .venv .pressgauge .mypy_cache .ruff_cache .pytest_cache .hypothesis .ansible workloads/java/target workloads/bench/java/target
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +
