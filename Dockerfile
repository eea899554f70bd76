# Two stages: a Go toolchain that builds, and an image that holds the program and
# certificates and nothing else. There is no shell in it; its health check is the
# program itself ("understudy healthcheck").
FROM golang:1.26.8-trixie AS build
WORKDIR /src
# Modules change less often than code, so they are a layer of their own.
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ARG VERSION=0.0.0-dev
ARG REVISION=unknown
RUN CGO_ENABLED=0 go build -trimpath -buildvcs=false \
    -ldflags "-s -w -X github.com/prometheus/common/version.Version=${VERSION} -X github.com/prometheus/common/version.Revision=${REVISION}" \
    -o /out/understudy ./cmd/understudy \
    && mkdir -p /out/state

FROM gcr.io/distroless/static-debian13:nonroot
ARG VERSION=0.0.0-dev
ARG REVISION=unknown
LABEL org.opencontainers.image.title="Understudy" \
      org.opencontainers.image.description="Automatic failover between chain data providers." \
      org.opencontainers.image.source="https://github.com/understudy-rpc/understudy" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"
COPY --from=build /out/understudy /usr/bin/understudy
# A volume that is mounted here takes over its owner.
COPY --from=build --chown=65532:65532 /out/state /var/lib/understudy
WORKDIR /etc/understudy
USER nonroot
ENV UNDERSTUDY_STORAGE_PATH=/var/lib/understudy
EXPOSE 9477 9478
ENTRYPOINT ["/usr/bin/understudy"]
# Inside a container, loopback reaches nobody. Publish the port on loopback only,
# or give --web.config.file with users.
CMD ["run", "--web.listen-address=0.0.0.0:9477"]
