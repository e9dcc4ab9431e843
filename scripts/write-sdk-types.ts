// Writes the types and routes of the SDK's client, from the contract, into a folder.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sdkTypeFiles } from './sdk-types/api-types.ts'

const [folder] = process.argv.slice(2)
if (folder === undefined) throw new Error('write-sdk-types.ts FOLDER')
for (const [name, text] of Object.entries(await sdkTypeFiles())) await writeFile(join(folder, name), text)
