// Writes the table of settings into README.md, between its markers.
// Run it after a change of packages/server/src/config/settings.ts.
import { readFile, writeFile } from 'node:fs/promises'
import { renderConfigTable } from '../packages/server/src/config/render-settings.ts'

const START = '<!-- config:start -->'
const END = '<!-- config:end -->'

const path = new URL('../README.md', import.meta.url)
const readme = await readFile(path, 'utf8')
const start = readme.indexOf(START)
const end = readme.indexOf(END)
if (start === -1 || end < start) throw new Error(`README.md has no ${START} followed by ${END}`)
await writeFile(path, `${readme.slice(0, start)}${START}\n\n${renderConfigTable()}\n\n${readme.slice(end)}`)
