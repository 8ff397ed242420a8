/** Lines of the live log: their form, their job once, and nothing without a listener. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Logger, References } from "effect"
import { LiveFeed, type LiveItem } from "../../src/runtime/LiveFeed.ts"
import * as Logging from "../../src/runtime/Logging.ts"

const quiet = Layer.merge(Logger.layer([]), Layer.succeed(References.MinimumLogLevel, "Info"))
const layer = Logging.liveLayer.pipe(Layer.provideMerge(LiveFeed.layer), Layer.provideMerge(quiet))

it.effect("names module, job and details, and the job once", () =>
  Effect.gen(function* () {
    const told = yield* LiveFeed
    const heard: Array<LiveItem> = []
    yield* Effect.logInfo("heard by nobody")
    yield* told.listen((thing) => heard.push(thing))
    yield* Effect.logWarning("A line", { hostname: "acc1", words: "two words" })
    yield* Effect.logDebug("below the level of the log")
    yield* Effect.all([
      Effect.logInfo("job #12: acc1 failed at push"),
      Effect.logError("Job 12 is about job #12"),
      Effect.logError("It broke", new Error("for a reason"))
    ]).pipe(Effect.annotateLogs({ job: 12 }), Effect.provideService(Logging.LogModule, "sync_devices"))
    const lines = heard.flatMap((thing) => (thing.kind === "log" ? [Logging.lineText(thing)] : []))
    const [plain, ofJob, inside, broken] = lines.map((line) => line.replace(/^\[[^\]]*\] /, ""))
    assert.strictEqual(plain, 'WARNING in server: A line hostname=acc1 words="two words"')
    assert.strictEqual(ofJob, "INFO in sync_devices job #12: acc1 failed at push")
    assert.strictEqual(inside, "ERROR in sync_devices job #12: Job 12 is about job #12")
    assert.match(broken ?? "", /^ERROR in sync_devices job #12: It broke.*for a reason/s)
    assert.lengthOf(lines, 4)
    assert.match(lines[0] ?? "", /^\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3}\] WARNING/)
  }).pipe(Effect.scoped, Effect.provide(layer))
)

it.effect("passes lines of other processes to subscribers of everything, and not to forwarders of local lines", () =>
  Effect.gen(function* () {
    const told = yield* LiveFeed
    const [all, own]: [Array<LiveItem>, Array<LiveItem>] = [[], []]
    yield* told.listen((thing) => all.push(thing))
    yield* told.listenToOwn((thing) => own.push(thing))
    const line = { kind: "log", at: 0, level: "INFO", module: "server", job: null } as const
    told.publish({ ...line, text: "here" })
    told.publishReceived({ ...line, text: "there" })
    const texts = (things: ReadonlyArray<LiveItem>) => things.map((thing) => (thing.kind === "log" ? thing.text : ""))
    assert.deepStrictEqual([texts(all), texts(own)], [["here", "there"], ["here"]])
  }).pipe(Effect.scoped, Effect.provide(LiveFeed.layer))
)
