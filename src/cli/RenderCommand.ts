/** `switchyard render`: one template with the variables of a file. */
import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { platformNames } from "../domain/platforms/Platforms.ts"

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
