import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../config.ts'
import { OperatorError } from '../lib/operator-error.ts'
import { BUILTIN_PRICES, parsePriceList, type PriceList } from '../pricing/price-list.ts'
import { DATA_FILES } from '../storage/data-files.ts'

/**
 * The list that a start uses: the built-in one or that of SPOOR_PRICES_FILE, else of the data folder, whichever has the
 * later date. Throws OperatorError for a file that is no list, and when the named one is missing.
 */
export function startingPrices({ pricesFile }: Pick<Config, 'pricesFile'>, dataDir: string | null): PriceList {
  if (pricesFile !== null) return newer(readPrices(pricesFile))
  if (dataDir === null) return BUILTIN_PRICES
  const path = join(dataDir, DATA_FILES.prices)
  return existsSync(path) ? newer(readPrices(path)) : BUILTIN_PRICES
}

/** Puts the list of `file` into a data folder, for the next start. Throws OperatorError if the file is no list. */
export function installPrices(file: string, dataDir: string): PriceList {
  const list = readPrices(file)
  if (newer(list) !== list)
    throw new OperatorError(`${file} is of ${list.date}. The built-in prices are newer: ${BUILTIN_PRICES.date}.`)
  const path = join(dataDir, DATA_FILES.prices)
  try {
    writeFileSync(`${path}.new`, readFileSync(file), { mode: 0o600, flush: true })
    renameSync(`${path}.new`, path)
  } catch (error) {
    throw new OperatorError(`The prices could not be written to ${path}: ${String(error)}`, { cause: error })
  }
  return list
}

function newer(list: PriceList): PriceList {
  return list.date < BUILTIN_PRICES.date ? BUILTIN_PRICES : list
}

function readPrices(path: string): PriceList {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    throw new OperatorError(`${path} cannot be read: ${String(error)}`, { cause: error })
  }
  return parsePriceList(text, path)
}
