import { type Fields, first, firstText, hasNone, isFields, isList, others, parseJson, toText } from '../json.ts'
import type { Part } from './part.ts'

/* A result of a retriever, a reranker or a vector store, as `{type: "document", text, id, score, metadata}`. */

const TEXTS = ['page_content', 'pageContent', 'text', 'content', 'document', 'chunk', 'snippet', 'body'] as const
const IDS = ['id', 'id_', '_id', 'doc_id', 'document_id', 'node_id', 'file_id'] as const
const SCORES = ['score', 'relevance_score', 'relevanceScore', '_score', 'similarity'] as const
/** Members that wrap the document itself. */
const WRAPPERS = ['document', 'node', 'payload', '_source', 'kwargs'] as const
/** Members without meaning for a reader: vectors, and the bookkeeping of frameworks. */
const LEFT_OUT = ['type', 'lc', 'embedding', 'vector', 'values', 'index', 'class_name', 'relationships', 'metadata']
const OF_LLAMA_INDEX = ['mimetype', 'start_char_idx', 'end_char_idx', 'metadata_template', 'metadata_separator']
const LLAMA_INDEX_TEMPLATES = [
  'text_template',
  'metadata_seperator',
  'excluded_embed_metadata_keys',
  'excluded_llm_metadata_keys',
  'text_resource',
  'hash',
  'textTemplate',
  'metadataSeparator',
  'startCharIdx',
  'endCharIdx',
  'excludedEmbedMetadataKeys',
  'excludedLlmMetadataKeys',
]

/** Lists of documents, by the member that has them: of retrievers, rerankers, vector stores and search engines. */
const LISTS = [
  'documents',
  'source_documents',
  'source_nodes',
  'nodes',
  'results',
  'matches',
  'points',
  'hits',
  'retrievalResults',
  'data',
] as const

/** A document; null if the value is no document. `isFound`: the value is known to be a result of a search. */
export function documentOf(value: unknown, isFound: boolean): Part | null {
  // LangChain's search with scores returns pairs.
  if (isList(value)) {
    const [document, score] = value
    if (value.length !== 2 || typeof score !== 'number' || !isFields(document)) return null
    return documentOf({ ...document, score }, isFound)
  }
  if (typeof value === 'string') return isFound ? { type: 'document', text: value } : null
  if (!isFields(value) || typeof value['role'] === 'string') return null
  const wrapper = WRAPPERS.find((name) => isFields(value[name]))
  const inside = wrapper === undefined ? {} : (value[wrapper] as Fields)
  const own = { ...inside, ...others(value, wrapper ?? '', ...(wrapper === 'kwargs' ? ['id', 'type'] : [])) }
  const textName = TEXTS.find((name) => textOf(own[name]) !== null)
  const text = textName === undefined ? textOf(own['text_resource']) : textOf(own[textName])
  const metadata = isFields(own['metadata']) ? own['metadata'] : {}
  const score = SCORES.map((name) => own[name] ?? metadata[name]).find((one) => typeof one === 'number')
  const isRanked = score !== undefined && typeof own['index'] === 'number'
  if (text === null && !isRanked) return null
  if (!isFound && !isEvident(own, textName, wrapper, score)) return null
  const ownId = firstText(own, ...IDS)
  const id = ownId ?? firstText(metadata, ...IDS) ?? (text === null ? String(own['index']) : null)
  const rest = {
    ...others(metadata, ...SCORES, ...(ownId === null ? IDS : [])),
    ...others(own, ...LEFT_OUT, ...OF_LLAMA_INDEX, ...LLAMA_INDEX_TEMPLATES, ...IDS, ...SCORES, textName ?? ''),
  }
  return {
    type: 'document',
    ...(id === null ? {} : { id }),
    text: text ?? '',
    ...(score === undefined ? {} : { score }),
    ...(hasNone(rest) ? {} : { metadata: rest }),
  }
}

/** Whether the value says by its form that it is a document; any object may have a text. */
function isEvident(own: Fields, textName: string | undefined, wrapper: string | undefined, score: unknown): boolean {
  if (textName === 'page_content' || textName === 'pageContent') return true
  if (wrapper === 'node' || own['text_resource'] !== undefined) return true
  return score !== undefined || (isFields(own['metadata']) && first(own, ...IDS) !== undefined)
}

function textOf(value: unknown): string | null {
  if (typeof value === 'string') return value === '' ? null : value
  if (isFields(value)) return typeof value['text'] === 'string' ? value['text'] : null
  if (!isList(value) || value.length === 0) return null
  const texts = value.map((one) => (isFields(one) ? one['text'] : null))
  return texts.every((one) => typeof one === 'string') ? texts.join('\n') : null
}

/** All of a list; null unless each is a document. */
export function documentsIn(value: unknown, isFound: boolean): readonly Part[] | null {
  if (!isList(value) || value.length === 0) return null
  const found = value.map((one) => documentOf(one, isFound))
  return found.every((one) => one !== null) ? found : null
}

/** The member of an object that lists documents, and these; null without one. */
export function listedDocuments(
  value: Fields,
  isFound: boolean,
): readonly [name: string, documents: readonly Part[]] | null {
  const columns = ofColumns(value)
  if (columns !== null) return ['documents', columns]
  for (const name of LISTS) {
    const listed = isFields(value[name]) ? value[name][name] : value[name]
    const documents = documentsIn(parseJson(listed), isFound)
    if (documents !== null) return [name, documents]
  }
  return null
}

/** Chroma answers in columns: `{ids: [["a"]], documents: [["text"]], distances: [[0.2]], metadatas: [[{}]]}`. */
function ofColumns({ ids, documents, metadatas, distances }: Fields): readonly Part[] | null {
  const [of, texts, more, far] = [ids, documents, metadatas, distances].map((column) =>
    isList(column) && isList(column[0]) ? column[0] : [],
  ) as [readonly unknown[], readonly unknown[], readonly unknown[], readonly unknown[]]
  if (texts.length === 0 || of.length !== texts.length) return null
  return texts.map((text, at) => {
    const own = more[at]
    const metadata = { ...(isFields(own) ? own : {}), ...others({ distance: far[at] }) }
    const id = toText(of[at])
    return others({
      type: 'document',
      id,
      text: toText(text ?? ''),
      metadata: hasNone(metadata) ? null : metadata,
    }) as Part
  })
}
