# The image's base for nodes on which the daemon connects pods: the usual one, and iproute2, which it lacks. Jib adds files and runs
# no package manager, so this is built once, where there is an engine, and named to the build:
#   docker build -t REGISTRY/enipam-base:17 -f runtime/deploy/image/base.Dockerfile runtime/deploy/image && docker push REGISTRY/enipam-base:17
#   mvn -DskipTests package -Denipam.image.base=REGISTRY/enipam-base:17
FROM eclipse-temurin:17-jdk-jammy
RUN apt-get update && apt-get install -y --no-install-recommends iproute2 util-linux && rm -rf /var/lib/apt/lists/*
