import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { sshKeyPair } from "../support/SshKeyPair.ts"
import { secretValues } from "../../src/runtime/SecretKey.ts"
import { ServerConfig } from "../../src/ServerConfig.ts"

const pair = sshKeyPair("sesame street")

it.effect(
  "secrets of the server include private keys by each of their lines, with their passphrase, and repositories by the password only",
  () =>
    Effect.gen(function* () {
      const known = secretValues(yield* ServerConfig)
      const lines = pair.private.split("\n").filter((line) => line.length > 20 && !line.startsWith("-----"))
      assert.isAbove(lines.length, 2)
      assert.includeMembers([...known], [...lines, "sesame street", "p@ss", "p%40ss"])
      assert.notIncludeMembers([...known], ["-----BEGIN OPENSSH PRIVATE KEY-----", "robot"])
      assert.deepStrictEqual(
        known.map(({ length }) => length),
        known.map(({ length }) => length).toSorted((a, b) => b - a)
      )
    }).pipe(
      Effect.provide(
        ServerConfig.layerOf({
          USERNAME_MANAGED: "noc",
          SSH_KEY_MANAGED: pair.private,
          SSH_KEY_MANAGED_PASSPHRASE: "sesame street",
          DEVICE_SECRET_KEY: pair.private,
          GITREPO_SETTINGS: "https://robot:p%40ss@git.example.org/settings.git"
        })
      ),
      Effect.provide(NodeServices.layer)
    )
)
