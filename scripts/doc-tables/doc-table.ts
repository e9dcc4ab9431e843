/** A table that stands in a page between `<!-- NAME:start -->` and `<!-- NAME:end -->`. */
export interface DocTable {
  /** From the root of the repository. */
  readonly page: string
  readonly name: string
  render(): string | Promise<string>
}
