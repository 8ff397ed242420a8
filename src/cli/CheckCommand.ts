/** `switchyard check`: reports what a refresh would find in two working copies, for a pipeline that runs before a merge. */
import { platformNames } from "../domain/platforms/Platforms.ts"
import { Effect } from "effect"
import { Command, Flag } from "effect/cli"

/** The command. */
export const check = Command.make(
  "check",
  {
    settings: Flag.String("settings").pipe(Flag.withDescription("Directory of the settings repository"), Flag.optional),
    templates: Flag.String("templates").pipe(
      Flag.withDescription("Directory of the templates repository"),
      Flag.optional
    ),
    devices: Flag.String("devices").pipe(
      Flag.withDescription("File with the answer of GET /devices: check the settings of these devices as well"),
      Flag.optional
    ),
    against: Flag.String("against").pipe(
      Flag.withDescription("Address of a server: also say what the working copies would mean for its devices"),
      Flag.optional
    )
  },
  (request) =>
    Effect.flatMap(
      Effect.promise(() => import("./RepositoryCheck.ts")),
      ({ checkRepositories }) => checkRepositories(request)
    )
).pipe(
  Command.withDescription(
    "Check settings and templates as a refresh does. Prints FILE:LINE:COLUMN: error|warning: TEXT for each mistake; exit code 0 without any, 1 with errors, 2 with warnings alone. GLOBAL_UNIQUE_VLANS and SETTINGS_KEYS_TO_MERGE count as for the server. With settings and templates together it also warns of names that templates print and nobody defines. With --against, lines that begin with `effect` say what would change for devices, and whether it would have to be confirmed (a warning); the token is that of `switchyard login` or SWITCHYARD_TOKEN."
  ),
  Command.withExamples([
    { command: "switchyard check --settings .", description: "In the pipeline of the settings repository" },
    {
      command: "switchyard check --settings settings --templates templates --devices devices.json",
      description: "Both, and every device that the server knows"
    },
    {
      command: "switchyard check --settings . --against https://switchyard.example.org",
      description: "What a merge would mean for the devices of a server"
    }
  ])
)

// `switchyard render`: one template with the variables of a file.

/** The command. */
export const render = Command.make(
  "render",
  {
    templates: Flag.String("templates").pipe(Flag.withDescription("Directory with one directory per platform")),
    platform: Flag.String("platform").pipe(Flag.withDescription(`Platform, such as ${platformNames[0]}`)),
    template: Flag.String("template").pipe(Flag.withDescription("Template file in the platform's directory")),
    variables: Flag.String("variables").pipe(Flag.withDescription("JSON or YAML file with the variables"))
  },
  (request) =>
    Effect.flatMap(
      Effect.promise(() => import("../templates/RenderCommand.ts")),
      ({ renderCommand }) => renderCommand(request)
    )
).pipe(Command.withDescription("Render a template with the variables of a file, for authors of templates."))
