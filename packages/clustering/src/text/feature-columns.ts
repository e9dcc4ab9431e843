import { idfOf } from '../embedding/basis.ts'
import { FEATURE_BUCKETS, FEATURE_KINDS, type FeatureKind, type Features } from './features.ts'
import type { FeatureColumns } from './weigh-features.ts'

/** Columns of the features that count in a sample, by kind, then by bucket. */
export interface ChosenColumns extends FeatureColumns {
  /** The bucket of each column, ascending within a kind. */
  readonly buckets: Readonly<Record<FeatureKind, Uint16Array>>
}

/** A feature of one trace identifies no cluster; a feature of most traces separates none. */
const LEAST_FREQUENCY = 2
/** With two prompts that share all traces between them, at least one must keep its words. */
const GREATEST_SHARE = 0.5
/** Per kind; the most frequent are kept. Bounds the basis to about 17 MB; short requests need about 3. */
const MOST_COLUMNS = 32_768

export function chooseColumns(sample: readonly Features[]): ChosenColumns {
  const frequencies = countTraces(sample)
  const idf: number[] = []
  const choose = (kind: FeatureKind): { columns: Int32Array; buckets: Uint16Array } => {
    const columns = new Int32Array(FEATURE_BUCKETS).fill(-1)
    const buckets = mostFrequent(frequencies[kind], GREATEST_SHARE * sample.length)
    for (const bucket of buckets) {
      columns[bucket] = idf.length
      idf.push(idfOf(frequencies[kind][bucket]!, sample.length))
    }
    return { columns, buckets }
  }
  const [words, grams, steps] = [choose('words'), choose('grams'), choose('steps')]
  return {
    columns: { words: words.columns, grams: grams.columns, steps: steps.columns },
    buckets: { words: words.buckets, grams: grams.buckets, steps: steps.buckets },
    idf: Float32Array.from(idf),
  }
}

type Frequencies = Readonly<Record<FeatureKind, Uint32Array>>

function countTraces(sample: readonly Features[]): Frequencies {
  const empty = (): Uint32Array => new Uint32Array(FEATURE_BUCKETS)
  const frequencies = { words: empty(), grams: empty(), steps: empty() }
  for (const features of sample) {
    for (const kind of FEATURE_KINDS) for (const bucket of features[kind].buckets) frequencies[kind][bucket]!++
  }
  return frequencies
}

/** Buckets that count, ascending. If not all fit, the first of equally frequent ones are kept. */
function mostFrequent(frequencies: Uint32Array, greatest: number): Uint16Array {
  const buckets: number[] = []
  frequencies.forEach((frequency, bucket) => {
    if (frequency >= LEAST_FREQUENCY && frequency <= greatest) buckets.push(bucket)
  })
  if (buckets.length > MOST_COLUMNS) {
    buckets.sort((a, b) => frequencies[b]! - frequencies[a]! || a - b)
    buckets.length = MOST_COLUMNS
  }
  return Uint16Array.from(buckets).sort()
}
