/** One step of a schema. Once released it is never changed: a later one corrects it. */
export interface Migration {
  /** Without holes. */
  readonly version: number
  readonly name: string
  /** SQL statements, run in one transaction together with the note that they ran. */
  readonly statements: string
}
