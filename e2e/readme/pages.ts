import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** The text between two lines of three backticks. */
interface Block {
  /** The word after the opening backticks, such as `sh`; empty if there is none. */
  readonly language: string
  readonly text: string
  /** The file name under which the text above the block says to save it. */
  readonly savedAs: string | null
}

export interface Page {
  /** Relative to the root of the repository. */
  readonly path: string
  readonly text: string
  readonly blocks: readonly Block[]
}

/** The README, then the pages of the guide, then those for operators; within a folder ordered by name. */
export function readPages(): readonly Page[] {
  const paths = ['docs/guide', 'docs/operate'].flatMap((folder) =>
    readdirSync(join(ROOT, folder))
      .filter((name) => name.endsWith('.md'))
      .sort()
      .map((name) => `${folder}/${name}`),
  )
  return ['README.md', ...paths].map((path) => {
    const text = readFileSync(join(ROOT, path), 'utf8')
    return { path, text, blocks: blocksOf(text) }
  })
}

function blocksOf(text: string): readonly Block[] {
  return [...text.matchAll(/^```(\w*)\n([^]*?)^```$/gm)].map((match) => {
    const [, language = '', block = ''] = match
    const paragraph = text.slice(0, match.index).trimEnd().split('\n\n').at(-1) ?? ''
    return { language, text: block, savedAs: /^Save this as `([\w.]+)`/.exec(paragraph)?.[1] ?? null }
  })
}
