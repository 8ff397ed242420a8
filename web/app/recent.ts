/** The places that this tab has shown last, the newest first, for the jump field. */

export interface Place {
  /** Path and query behind `/ui`. */
  readonly to: string
  readonly label: string
}

const KEPT = 6
let places: ReadonlyArray<Place> = []

/** Notes that a place is shown. */
export const noteRecent = (place: Place): void => {
  places = [place, ...places.filter(({ to }) => to !== place.to)].slice(0, KEPT + 1)
}

/** The places before the present one. */
export const recentPlaces = (): ReadonlyArray<Place> => places.slice(1)
