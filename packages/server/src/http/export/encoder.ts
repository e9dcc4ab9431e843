type Rows = readonly Buffer[]

/** Takes the rows of a whole file with the same columns. Throws if it has others. */
export type Join = (file: Buffer) => { readonly bytes: Buffer; readonly rows: number }

/** Turns pages of rows (JSON text) into the bytes of a file. */
export interface Encoder {
  /** Before the first page. */
  start(): Buffer
  page(rows: Rows): Buffer
  /** Absent where files cannot be joined. Not to be called after `page`. */
  readonly join?: Join
  /** After the last one. */
  end(rows: number): Buffer
}
