// Writes the types and routes of the SDK's client from the contract. Run it after a change of the contract.
import { writeFile } from 'node:fs/promises'
import { sdkTypeFiles } from './sdk-types/api-types.ts'

for (const [path, text] of Object.entries(await sdkTypeFiles())) {
  await writeFile(new URL(`../${path}`, import.meta.url), text)
}
