/** Most characters of the name of an attribute that advice may name: longer ones may hold anything. */
const LONGEST_NAME = 100
/** Most attributes that one step reports. */
const MOST_NAMES = 3
/** In an attribute, a text of this length with blanks was said by somebody, whatever its name. */
const LONG_TEXT = 200

/** Which sides of a step were read. */
export interface Sides {
  readonly input: boolean
  readonly output: boolean
}

export type Unread = Iterable<readonly [name: string, value: unknown]>

const INPUT = /input|prompt|argument|args|request|query|question/i
const OUTPUT = /output|completion|result|response|answer/i
const EITHER = /message|content|conversation/i
/** Last words of names whose value is content even if it is one word. */
const WHOLE =
  /(^|[._:-])(input|output|prompt|completion|messages?|arguments|args|result|response|answer|content)(\.value|\.text|_text)?$/i
/** Names of content that nothing but a model has, on spans that are otherwise not about models. */
const OF_MODELS = /(^|[._:-])(llm|gen_ai|(system|user)[._-]?prompt)([._:-]|$)/i
/** Names that models share with others: a span has both if it is of a model. */
const PROMPT = /prompt/i
const COMPLETION = /completion/i
const TOKENS = /(^|[._:-])(prompt|completion|(llm|ai|usage|token_count)[._-]?(input|output|total))[._-]?tokens?$/i
/** Sums over the calls of a run. */
const OF_RUNS = /(^|[._:-])(turn|session|run|trace)[._:-]/i

/** Conventions of OpenTelemetry for other things, and names that the service gives to what is no attribute. */
const OF_OTHERS =
  /^(aws|browser|client|cloud|code|container|db|device|enduser|error|event|exception|faas|feature_flag|graphql|host|http|k8s|log|messaging|net|network|next|os|otel|peer|process|prisma|rpc|server|service|session|spoor|sql|telemetry|thread|tls|url|user|user_agent)([._]|$)/i
/** Last words of names that describe content and are none. */
const DESCRIBES =
  /(count|tokens?|cost|usage|type|format|ids?|model|name|names|tools?|definitions?|description|parameters|params|schema|reasons?|status|version|duration|latency|time|ms|length|size|bytes|chars|index|role|headers?|settings|config|options|mode|hash|url|uri|path|kind|provider|metadata|code)$/i
const NAME = /^[A-Za-z_][\w.:-]*$/
/** Ids within a name, of which each span may have its own. */
const IDS = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?=[0-9a-f]*\d)[0-9a-f]{8,}|(?=[a-z0-9]*\d)[a-z0-9]{16,}/gi

/** What the name of an attribute says. */
interface NameFacts {
  /** With `*` for its numbers. */
  readonly shown: string
  readonly countsTokens: boolean
  readonly mayBeContent: boolean
  readonly isInput: boolean
  readonly isOutput: boolean
  readonly isEither: boolean
  readonly isWhole: boolean
  readonly isOfModels: boolean
}

/** Senders use few names: each is looked at once. Names beyond these are looked at each time. */
const MOST_KNOWN = 2000
const known = new Map<string, NameFacts | null>()

/** Null for a name that advice cannot show, or of no interest. */
function factsOf(name: string): NameFacts | null {
  if (name.length > LONGEST_NAME) return null
  let facts = known.get(name)
  if (facts === undefined) {
    facts = readName(name)
    if (known.size < MOST_KNOWN) known.set(name, facts)
  }
  return facts
}

function readName(name: string): NameFacts | null {
  if (!NAME.test(name)) return null
  const countsTokens = TOKENS.test(name) && !OF_RUNS.test(name)
  const mayBeContent = !OF_OTHERS.test(name) && !DESCRIBES.test(name)
  if (!countsTokens && !mayBeContent) return null
  return {
    shown: name.replaceAll(IDS, '*').replaceAll(/\d+/g, '*'),
    countsTokens,
    mayBeContent,
    isInput: INPUT.test(name),
    isOutput: OUTPUT.test(name),
    isEither: EITHER.test(name),
    isWhole: WHOLE.test(name),
    isOfModels: OF_MODELS.test(name),
  }
}

/**
 * Names of unread attributes that look like the missing side of a step: a name of content, JSON of messages, or a long
 * text. Steps that are not about agents need a name of models, a prompt and a completion, or JSON of
 * messages. At most MOST_NAMES, each with `*`
 * for its numbers.
 */
export function contentNames(
  unread: Unread,
  has: Sides,
  { isAboutAgents, takesTexts }: { readonly isAboutAgents: boolean; readonly takesTexts: boolean },
): readonly string[] {
  const names = new Set<string>()
  const isOfModel = !isAboutAgents && hasBoth(unread)
  for (const [name, value] of unread) {
    if (typeof value !== 'string' && (typeof value !== 'object' || value === null)) continue
    const facts = factsOf(name)
    if (facts?.mayBeContent !== true) continue
    if (!looksLikeContent(facts, value, has, isAboutAgents || isOfModel, takesTexts)) continue
    names.add(facts.shown)
    if (names.size === MOST_NAMES) break
  }
  return [...names]
}

function hasBoth(unread: Unread): boolean {
  let [prompt, completion] = [false, false]
  for (const [name] of unread) {
    prompt ||= PROMPT.test(name)
    completion ||= COMPLETION.test(name)
  }
  return prompt && completion
}

/** The first unread attribute that counts tokens of a model; null if there is none. */
export function tokenName(unread: Unread): string | null {
  for (const [name, value] of unread) {
    const facts = factsOf(name)
    if (facts?.countsTokens === true && isCount(value)) return facts.shown
  }
  return null
}

function isCount(value: unknown): boolean {
  return typeof value === 'number' ? Number.isSafeInteger(value) : typeof value === 'string' && /^\d{1,15}$/.test(value)
}

function looksLikeContent(
  name: NameFacts,
  value: string | object,
  has: Sides,
  isAboutAgents: boolean,
  takesTexts: boolean,
): boolean {
  const { isInput, isOutput } = name
  // A copy of what was read, or the rest of it.
  if (isInput !== isOutput && (isInput ? has.input : has.output)) return false
  const text = typeof value === 'string' ? value.trim() : JSON.stringify(value)
  if (EMPTY.has(text)) return false
  const isData = text.startsWith('{') || text.startsWith('[')
  // JSON in which somebody says something.
  if (isData && text.includes('"role"') && /"(content|parts)"/.test(text)) return true
  // More than a word or a number.
  const isSaid = isData || /\s/.test(text)
  if (!isAboutAgents) return name.isOfModels && isSaid
  if (isInput || isOutput || name.isEither) return isSaid || name.isWhole
  return takesTexts && !isData && text.length >= LONG_TEXT && isSaid
}

const EMPTY: ReadonlySet<string> = new Set(['', '{}', '[]', 'null'])
