/** EOS releases: in the names of images, in what a switch announces of itself, and as what behaves differently since when. */
import type { Switch } from "../Switch.ts"

/** The image file of a version: `4.32.2F` → `EOS-4.32.2F.swi`. */
export const imageOf = (version: string): string => `EOS-${version}.swi`

/** The version that an image file name carries: `EOS-4.32.2F.swi` → `4.32.2F`. */
export const versionOf = (image: string): string | undefined => /EOS(?:64)?-(\d+(?:\.\d+)+[A-Z]*)/.exec(image)?.[1]

/** What a switch says of itself over LLDP. */
export const systemDescription = ({ hardware, version }: Switch): string =>
  `Arista Networks EOS version ${version} running on an Arista Networks ${hardware.model}`

/** True when the switch runs this release or a later one. */
export const isAtLeast = (device: Switch, major: number, minor: number): boolean => {
  const [first = 0, second = 0] = device.version.split(".").map(Number)
  return first > major || (first === major && second >= minor)
}
