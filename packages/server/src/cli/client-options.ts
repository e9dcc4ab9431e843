import { UsageError } from './command.ts'

export const DEFAULT_URL = 'http://127.0.0.1:4319'

/** Without a slash at the end. Throws UsageError, as the others do. */
export function readUrl(raw: string): string {
  if (URL.canParse(raw) && /^https?:$/.test(new URL(raw).protocol)) return raw.replace(/\/+$/, '')
  throw new UsageError(`${JSON.stringify(raw)} is not the address of a service; it should look like ${DEFAULT_URL}.`)
}

/** `flags`: of the command that makes a key. A key that cannot be in a header would be shown by the error. */
export function readKey(raw: string | null, command: string, flags = ''): string {
  const key = raw?.trim() ?? ''
  if (/^[\u0021-\u007e]+$/.test(key)) return key
  if (key !== '') throw new UsageError('The API key holds characters that no key has.')
  const make = `npx spoor keys create --name ${command}${flags} makes one.`
  throw new UsageError(`${command} needs an API key: set SPOOR_API_KEY, or give --key. ${make}`)
}

export function readWhole(flag: string, raw: string, maximum: number): number {
  const value = /^\d{1,9}$/.test(raw) ? Number(raw) : 0
  if (value >= 1 && value <= maximum) return value
  throw new UsageError(`${flag} takes a whole number from 1 to ${maximum}, not "${raw}".`)
}
