/** One step of the control store's schema. Once released it is never changed: a later one corrects it. */
export interface Migration {
  /** Counted from 1, without holes. */
  readonly version: number
  readonly name: string
  /** SQL statements, run in one transaction together with the note that they ran. */
  readonly statements: string
}
