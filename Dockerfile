# Pressgauge's controller in an image: it drives other hosts, or runs small campaigns within the container.
# docs/containers.md says how, and what it can't do.
#
#   docker build --tag pressgauge .
#   docker run --init --rm --interactive --tty --volume "$PWD/results:/pressgauge/results" pressgauge \
#       run-campaign CAMPAIGN=smoke
FROM debian:bookworm-slim

# What harness/setup.sh would install, and an SSH client for other hosts.
RUN apt-get update \
    && DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends \
        ca-certificates git libcurl4 make maven openjdk-17-jdk-headless openssh-client python3 python3-venv \
    && rm -rf /var/lib/apt/lists/*

WORKDIR /pressgauge
COPY . .
RUN make setup

ENTRYPOINT ["make"]
CMD ["help"]
