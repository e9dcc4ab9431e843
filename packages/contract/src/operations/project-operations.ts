import { AuditList, AuditQuery } from '../schemas/audit.ts'
import { CreatedKey, Key, KeyCreate, KeyList, KeyPatch } from '../schemas/key.ts'
import { ListQuery } from '../schemas/list-query.ts'
import { MaskingPreview, MaskingPreviewBody } from '../schemas/masking.ts'
import { idParameter, parameters } from '../schemas/primitives.ts'
import { Expired, ExpiredQuery, Project, ProjectCreate, ProjectList, ProjectPatch } from '../schemas/project.ts'
import { jsonBody, type Operation } from './operation.ts'

const projectId = idParameter(
  'proj',
  'The project. If the key may not see it, the answer is the same as for a project that does not exist.',
)
const ProjectPath = parameters({ id: projectId })
const KeyPath = parameters({ id: projectId, key_id: idParameter('key', 'The key.') })

const KEY_SCOPES = ['manage', 'admin'] as const
const ownOrAdmin = 'A key with `manage` can do this in its own project, a key with `admin` in every project.'

export const PROJECT_OPERATIONS = {
  createProject: {
    method: 'POST',
    path: '/v1/projects',
    summary: 'Create a project',
    description:
      'A project sees only its own data. A new project has no key: create one with `POST /v1/projects/{id}/keys`.',
    scopes: ['admin'],
    request: jsonBody(ProjectCreate, 'The name of the project.', {
      project: { summary: 'A project', value: { name: 'support bot' } },
    }),
    audit: { action: 'project.created', target: 'project', shows: ['name'] },
    responses: { 201: { description: 'The project was created.', content: { 'application/json': Project } } },
    errors: ['disk_full'],
  },
  listProjects: {
    method: 'GET',
    path: '/v1/projects',
    summary: 'List projects',
    description: 'Oldest first. A key with `admin` sees all projects, any other key only its own.',
    scopes: [],
    query: ListQuery,
    responses: { 200: { description: 'One page of projects.', content: { 'application/json': ProjectList } } },
  },
  changeProject: {
    method: 'PATCH',
    path: '/v1/projects/:id',
    summary: 'Change a project',
    description: `Applies to every request that begins after the answer. ${ownOrAdmin}`,
    scopes: KEY_SCOPES,
    pathParameters: ProjectPath,
    request: jsonBody(ProjectPatch, 'The settings that change.', {
      agents: { summary: 'Take spans about agents only', value: { span_filter: 'agents_only' } },
      version: { summary: 'Versions are in `metadata.release`', value: { version_key: 'release' } },
      input: { summary: 'The request of a run is in `metadata.question`', value: { input_path: 'metadata.question' } },
      retention: {
        summary: 'Keep traces for a month, flagged ones for a year',
        value: { retention: { days: 30, flagged_days: 365 } },
      },
      masking: {
        summary: 'Mask e-mail addresses, API keys and customer numbers',
        value: {
          masking: {
            fields: ['metadata.customer.email'],
            detectors: ['api_key', 'email'],
            patterns: [{ name: 'customer', pattern: 'C-[0-9]{6}' }],
          },
        },
      },
    }),
    audit: {
      action: 'project.changed',
      target: 'project',
      shows: ['span_filter', 'version_key', 'task_key', 'input_path', 'retention', 'masking'],
    },
    responses: { 200: { description: 'The changed project.', content: { 'application/json': Project } } },
    errors: ['disk_full'],
  },
  previewRetention: {
    method: 'GET',
    path: '/v1/projects/:id/expired',
    tag: 'projects',
    summary: 'Count what a retention would delete',
    description: `Counts what \`PATCH /v1/projects/{id}\` with this \`retention\` would delete now. ${ownOrAdmin}`,
    scopes: KEY_SCOPES,
    pathParameters: ProjectPath,
    query: ExpiredQuery,
    responses: { 200: { description: 'The counts.', content: { 'application/json': Expired } } },
  },
  previewMasking: {
    method: 'POST',
    path: '/v1/projects/:id/masking/preview',
    tag: 'projects',
    summary: 'Try masking on recent traces',
    description: `Reads the newest traces of the project and answers what these rules would mask in them. Nothing is changed; what was masked already is not found again. ${ownOrAdmin} It also needs \`read\`, because the answer shows texts of traces.`,
    scopes: KEY_SCOPES,
    pathParameters: ProjectPath,
    request: jsonBody(MaskingPreviewBody, 'The rules, and how many traces to read.', {
      email: {
        summary: 'E-mail addresses in the newest 20 traces',
        value: { masking: { fields: [], detectors: ['email'], patterns: [] } },
      },
    }),
    responses: { 200: { description: 'What would be masked.', content: { 'application/json': MaskingPreview } } },
  },
  createKey: {
    method: 'POST',
    path: '/v1/projects/:id/keys',
    summary: 'Create an API key',
    description: `The secret is in this answer and is never shown again. A project can have several valid keys at once, for rotation. ${ownOrAdmin}`,
    scopes: KEY_SCOPES,
    pathParameters: ProjectPath,
    request: jsonBody(KeyCreate, 'The name, the scopes and the expiry time.', {
      writer: { summary: 'A key that only writes', value: { name: 'agent in production', scopes: ['ingest'] } },
    }),
    audit: {
      action: 'key.created',
      target: 'key',
      shows: ['name', 'scopes', 'expires_at', 'requests_per_second', 'bytes_per_second'],
    },
    responses: { 201: { description: 'The key was created.', content: { 'application/json': CreatedKey } } },
    errors: ['disk_full'],
  },
  listKeys: {
    method: 'GET',
    path: '/v1/projects/:id/keys',
    summary: 'List the API keys of a project',
    description: `Oldest first, without secrets and without revoked keys. ${ownOrAdmin}`,
    scopes: KEY_SCOPES,
    pathParameters: ProjectPath,
    query: ListQuery,
    responses: { 200: { description: 'One page of keys.', content: { 'application/json': KeyList } } },
  },
  changeKey: {
    method: 'PATCH',
    path: '/v1/projects/:id/keys/:key_id',
    summary: 'Change the limits of an API key',
    description: `Applies to every request that begins after the answer. A key that has limits and no \`admin\` cannot give more than its own. ${ownOrAdmin}`,
    scopes: KEY_SCOPES,
    pathParameters: KeyPath,
    request: jsonBody(KeyPatch, 'The limits that change; null removes one.', {
      requests: { summary: 'At most 50 requests a second', value: { requests_per_second: 50 } },
    }),
    audit: { action: 'key.changed', target: 'key', shows: ['requests_per_second', 'bytes_per_second'] },
    responses: { 200: { description: 'The changed key.', content: { 'application/json': Key } } },
    errors: ['disk_full'],
  },
  revokeKey: {
    method: 'DELETE',
    path: '/v1/projects/:id/keys/:key_id',
    summary: 'Revoke an API key',
    description: `The key stops working at once. ${ownOrAdmin}`,
    scopes: KEY_SCOPES,
    pathParameters: KeyPath,
    audit: { action: 'key.revoked', target: 'key', shows: [] },
    responses: { 204: { description: 'The key was revoked.', content: {} } },
    errors: ['disk_full'],
  },
  listAudit: {
    method: 'GET',
    path: '/v1/audit',
    tag: 'projects',
    summary: 'Read the audit log',
    description:
      'Who did what in the project, newest first, for as long as the log is kept. A key with `admin` also sees what belongs to no project: refused requests without a valid key.',
    scopes: ['manage'],
    query: AuditQuery,
    responses: { 200: { description: 'One page of entries.', content: { 'application/json': AuditList } } },
  },
} as const satisfies Record<string, Operation>
