/**
 * Which of the builds of an image a switch needs: a file name that starts with `detect_arch-` is adapted to the model
 * (docs/jobs.md#device_upgrade). A site may bring its own list of models in its settings.
 */
import type { ImageBuilds } from "../domain/platforms/Platform.ts"
import { DETECT_ARCHITECTURE } from "../domain/Firmware.ts"

/**
 * The image for a switch of this model; names without the marker stay as they are. `builds` are the platform's (null where one
 * image serves all models), `narrowModels` those that run the narrow one.
 */
export const fileFor = (
  file: string,
  model: string,
  builds: ImageBuilds | null,
  narrowModels: ReadonlySet<string> = builds?.narrowModels ?? new Set()
): string => {
  if (!file.startsWith(DETECT_ARCHITECTURE)) return file
  const named = file.slice(DETECT_ARCHITECTURE.length)
  if (builds === null) return named
  const { narrow, wide } = builds
  const [unwanted, wanted] = narrowModels.has(model) ? [wide, narrow] : [narrow, wide]
  return named.startsWith(unwanted) ? `${wanted}${named.slice(unwanted.length)}` : named
}
