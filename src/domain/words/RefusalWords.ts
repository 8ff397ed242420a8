/**
 * Why a permission does not allow something, as people say it: `lets people only look here`, behind the name of the role. The page
 * shows the rule of `permissions.yml` beside it. Pure.
 */
import type { Obstacle, Permission, RefusedBy } from "../access/PermissionRule.ts"
import { includes } from "../access/Glob.ts"
import { stateWords, typeWords } from "./DeviceWords.ts"
import { jobTitle } from "./JobWords.ts"
import { switches } from "./Units.ts"
import { inSentence, joined, textOf } from "./Word.ts"

/** What the methods of a permission let people do. */
const METHODS: Readonly<Record<string, string>> = {
  GET: "look",
  POST: "add or start something",
  PUT: "change something",
  DELETE: "remove something"
}

const doing = ({ methods = [] }: Permission): string => {
  const found = Object.entries(METHODS).flatMap(([method, does]) => (includes(methods, method) ? [does] : []))
  return found.length === 0 ? "lets people do nothing here" : `lets people only ${joined(found, "or")} here`
}

/** `a or b`; `nothing` for no names. */
const choice = (names: ReadonlyArray<string>, nothing: string): string => joined(names, "or") || nothing

const stateText = (state: string): string => inSentence(textOf(stateWords, state))

/** `switches of EAST and of type access`. */
const whichSwitches = ({ device_types, groups, interfaces }: Permission): string => {
  const which = [
    ...(groups === undefined ? [] : [`of ${choice(groups, "no group")}`]),
    ...(device_types === undefined
      ? []
      : [
          `of type ${choice(
            device_types.map((type) => inSentence(textOf(typeWords, type))),
            "none"
          )}`
        ]),
    ...(interfaces === undefined ? [] : [`with the ports ${choice(interfaces, "of none")}`])
  ]
  return `switches ${joined(which)}`
}

const RIGHTS: Readonly<Record<string, string>> = {
  emergency: "changes outside of the windows",
  skip_checks: "changes without their checks"
}

type Says = (permission: Permission, about: ReadonlyArray<string>) => string

const says: Readonly<Record<RefusedBy, Says>> = {
  path: () => "has nothing to do with this",
  method: doing,
  right: (_, [right = "", why]) => {
    const what = RIGHTS[right]
    return `does not give the right ${right}${what === undefined ? "" : ` for ${what}`}${why === undefined ? "" : `, and ${why}`}`
  },
  beyond: () => "is only for some switches, and this is about more than single ones",
  device: (permission, [hostname = ""]) => `is only for ${whichSwitches(permission)}, and ${hostname} is none of them`,
  whole: () => "is only for some ports, and this changes whole switches",
  state: ({ states = [] }, [hostname = "", state]) =>
    `is only for switches that are ${choice(states.map(stateText), "in no state")}, and ${hostname} is ${state === undefined ? "in a state that is not known" : stateText(state)}`,
  value: (_, [field = "", values = ""]) => `lets people set ${field} only to ${values}`,
  field: ({ fields = {} }, [field = ""]) =>
    `lets people set only ${joined(Object.keys(fields)) || "nothing"}, and not ${field}`,
  identity: () => "is only for some switches, and which switch a record stands for needs the right trust",
  group: () => "is only for some switches, and not for a whole group, whatever will be in it",
  port: ({ interfaces = [] }, [port = ""]) =>
    `is only for the ports ${choice(interfaces, "of none")}, and not for ${port}`,
  job: ({ jobs = [] }, [job = ""]) =>
    `starts only ${choice(
      jobs.map((name) => inSentence(jobTitle(name))),
      "nothing"
    )}, and this is ${inSentence(jobTitle(job))}`,
  live: () => "starts only previews",
  count: ({ max_devices = 0 }, [count = ""]) =>
    `is for at most ${switches(max_devices)} at a time, and these are ${count}`
}

/** Why the permission does not allow it, behind the name of its role. */
export const refusalWords = ({ about = [], by }: Obstacle, permission: Permission): string =>
  says[by](permission, about)
