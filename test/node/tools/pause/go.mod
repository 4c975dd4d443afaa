module gatewarden.io/test/node/tools/pause

go 1.26.0
