/** Two rows of two: a pair (x, y) is multiplied by it from the left. */
export type Rotation = readonly [xx: number, xy: number, yx: number, yy: number]

/**
 * The rotation, with a reflection if needed, that brings pairs nearest to where they were (orthogonal Procrustes): it
 * maximises the sum of products of `then` and the turned `now`. The input is that sum without a turn, four products of
 * coordinates summed over all pairs: x then × x now, x then × y now and so on.
 */
export function alignTurn([xx, xy, yx, yy]: Rotation): Rotation {
  const rotated = Math.hypot(xx + yy, yx - xy)
  const reflected = Math.hypot(xx - yy, xy + yx)
  if (rotated === 0 && reflected === 0) return [1, 0, 0, 1]
  if (rotated >= reflected) {
    const [cosine, sine] = [(xx + yy) / rotated, (yx - xy) / rotated]
    return [cosine, -sine, sine, cosine]
  }
  const [cosine, sine] = [(xx - yy) / reflected, (xy + yx) / reflected]
  return [cosine, sine, sine, -cosine]
}
