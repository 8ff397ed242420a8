/** `switchyard secret`: secret settings in the database, and the change of the key under which all secrets there are sealed. */
import { Console, Effect, Layer } from "effect"
import { Argument, Command } from "effect/cli"
import { failWithSentence, format, printJson, readInput } from "./client/Terminal.ts"
import { loadDatabase } from "./AtDatabase.ts"

const loaded = Effect.promise(() =>
  Promise.all([
    import("../store/SecretStore.ts"),
    import("../runtime/SecretKey.ts"),
    import("../certificates/CertificateAuthority.ts"),
    import("../runtime/Logging.ts"),
    import("../store/InterfaceStore.ts"),
    import("@effect/platform-node/NodeServices")
  ])
)

type Name = "set" | "list" | "remove" | "rotate"

/** The database of the settings, also while a server of this machine runs the embedded one. */
const services = Effect.fnUntraced(function* (name: Name) {
  const database = yield* loadDatabase(`secret ${name}`)
  const [{ SecretTexts }, { SecretKey }, { CertificateAuthority }, Logging, { InterfaceStore }, NodeServices] =
    yield* loaded
  const ports = InterfaceStore.layer.pipe(Layer.provide(SecretTexts.layer))
  return Layer.mergeAll(CertificateAuthority.layer, ports).pipe(
    Layer.provideMerge(SecretKey.layerOfCommand),
    Layer.provideMerge(database.layer),
    Layer.provide(Logging.layer),
    Layer.provideMerge(database.settings),
    Layer.provide(NodeServices.layer)
  )
})

const withStore = <A, E extends { readonly message: string }>(
  name: Name,
  use: (
    parts: Effect.Success<typeof loaded>
  ) => Effect.Effect<A, E, Layer.Success<Effect.Success<ReturnType<typeof services>>>>
) =>
  Effect.flatMap(services(name), (layer) => Effect.provide(Effect.flatMap(loaded, use), layer)).pipe(
    Effect.catch(failWithSentence)
  )

const NAME = Argument.String("name").pipe(Argument.withDescription("Name of the variable, such as PASSWORD_MANAGED"))

const set = Command.make("set", { name: NAME, json: format.json }, ({ json, name }) =>
  withStore("set", ([{ makeStoredSecrets }]) =>
    Effect.gen(function* () {
      yield* (yield* makeStoredSecrets).set(name, yield* readInput)
      if (json) return yield* printJson({ name })
      yield* Console.log(`${name} is kept in the database, sealed. Servers read it at their next start.`)
    })
  )
).pipe(Command.withDescription("Keep a secret setting in the database; its value is read from standard input."))

const list = Command.make("list", { json: format.json }, ({ json }) =>
  withStore("list", ([{ makeStoredSecrets }]) =>
    Effect.gen(function* () {
      const secrets = yield* (yield* makeStoredSecrets).list
      if (json) return yield* printJson(secrets)
      for (const { name, set_at, set_by } of secrets) yield* Console.log(`${name}\t${set_at}\t${set_by}`)
      if (secrets.length === 0) yield* Console.log("No secret is kept in the database.")
    })
  )
).pipe(Command.withDescription("Names of the secrets in the database, without their values."))

const remove = Command.make("remove", { name: NAME, json: format.json }, ({ json, name }) =>
  withStore("remove", ([{ makeStoredSecrets }]) =>
    Effect.gen(function* () {
      yield* (yield* makeStoredSecrets).remove(name)
      if (json) return yield* printJson({ name })
      yield* Console.log(`${name} is removed. Servers forget it at their next start.`)
    })
  )
).pipe(Command.withDescription("Remove a secret from the database."))

const rotate = Command.make("rotate", { json: format.json }, ({ json }) =>
  withStore("rotate", ([{ makeStoredSecrets }, , { CertificateAuthority }, , { InterfaceStore }]) =>
    Effect.gen(function* () {
      const ports = yield* (yield* InterfaceStore).sealOld
      const { sealed, unreadable } = yield* (yield* makeStoredSecrets).reseal
      const isCaEncrypted = yield* (yield* CertificateAuthority).encrypt
      if (json) return yield* printJson({ sealed: sealed + ports, unreadable, ca_key_encrypted: isCaEncrypted })
      yield* Console.log(`${sealed + ports} texts in the database are sealed under SECRET_KEY now.`)
      if (unreadable > 0)
        yield* Console.log(`${unreadable} cannot be opened: the key under which they were sealed was not given.`)
      if (isCaEncrypted) yield* Console.log("The key of the certificate authority is encrypted.")
    })
  )
).pipe(
  Command.withDescription(
    "Seal everything under SECRET_KEY: what SECRET_KEY_PREVIOUS has sealed, and what earlier releases have stored in clear."
  )
)

/** The command. */
export const secret = Command.make("secret").pipe(
  Command.withDescription("Secret settings in the database, and the key under which they are sealed."),
  Command.withSubcommands([set, list, remove, rotate])
)
