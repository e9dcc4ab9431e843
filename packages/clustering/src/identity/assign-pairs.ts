/**
 * One-to-one pairs of rows and columns with the greatest sum of scores (the Hungarian method with potentials, O(n³) for
 * the larger side n).
 *
 * @param scores row-major, finite, any sign
 * @returns for each row its column, or -1 when there are more rows than columns and it got none. Of equally good
 *   assignments always the same one.
 */
export function assignPairs(scores: Float64Array, rows: number, columns: number): Int32Array {
  const size = Math.max(rows, columns)
  // A square matrix of costs: added rows and columns stand for "no partner" and cost nothing.
  const costAt = (row: number, column: number): number =>
    row < rows && column < columns ? -scores[row * columns + column]! : 0
  const rowPotential = new Float64Array(size + 1)
  const columnPotential = new Float64Array(size + 1)
  /** The row of each column, both counted from 1; 0: no row. Column 0 holds the row that is being assigned. */
  const rowOfColumn = new Int32Array(size + 1)
  const cameFrom = new Int32Array(size + 1)
  for (let row = 1; row <= size; row++) {
    rowOfColumn[0] = row
    const slack = new Float64Array(size + 1).fill(Infinity)
    const visited = new Uint8Array(size + 1)
    let column = 0
    while (rowOfColumn[column] !== 0) {
      visited[column] = 1
      const current = rowOfColumn[column]!
      let least = Infinity
      let next = 0
      for (let other = 1; other <= size; other++) {
        if (visited[other] === 1) continue
        const reduced = costAt(current - 1, other - 1) - rowPotential[current]! - columnPotential[other]!
        if (reduced < slack[other]!) {
          slack[other] = reduced
          cameFrom[other] = column
        }
        if (slack[other]! < least) {
          least = slack[other]!
          next = other
        }
      }
      for (let other = 0; other <= size; other++) {
        if (visited[other] === 1) {
          rowPotential[rowOfColumn[other]!]! += least
          columnPotential[other]! -= least
        } else slack[other]! -= least
      }
      column = next
    }
    while (column !== 0) {
      rowOfColumn[column] = rowOfColumn[cameFrom[column]!]!
      column = cameFrom[column]!
    }
  }
  const columnOfRow = new Int32Array(rows).fill(-1)
  for (let column = 1; column <= columns; column++) {
    const row = rowOfColumn[column]!
    if (row > 0 && row <= rows) columnOfRow[row - 1] = column - 1
  }
  return columnOfRow
}
