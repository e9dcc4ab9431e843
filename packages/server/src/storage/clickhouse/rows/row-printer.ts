/**
 * The columns of a table in a printed row (JSONEachRow), by name: each as the JSON text of its value. Null omits a
 * column, which then takes its default.
 */
export type PrintedColumns<Row> = Readonly<Record<string, (row: Row) => string | number | null>>

/** Returns a function that prints these columns of a row and leaves the last one open: `{"id":"tr_…",…,"metadata":`. */
export function rowPrinter<Row>(columns: PrintedColumns<Row>, last: string): (row: Row) => string {
  const printed = Object.entries(columns).map(([name, valueOf], at) => ({
    start: `${at === 0 ? '{' : ','}"${name}":`,
    valueOf,
  }))
  const end = `,"${last}":`
  return (row) => {
    let line = ''
    for (let at = 0; at < printed.length; at++) {
      const { start, valueOf } = printed[at]!
      const value = valueOf(row)
      if (value !== null) line += `${start}${value}`
    }
    return line + end
  }
}

/** Ids, statuses and other text that needs no escaping in JSON. */
export function plain(value: string): string {
  return `"${value}"`
}
