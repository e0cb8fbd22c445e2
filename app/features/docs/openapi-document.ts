/** The part of OpenAPI 3.1, and of JSON Schema within it, that our document uses and the reference shows. */

export interface Schema {
  $ref?: string;
  type?: string | string[];
  description?: string;
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  example?: unknown;
  format?: string;
  pattern?: string;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: Schema | boolean;
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
}

interface Content {
  'application/json'?: { schema: Schema; examples?: Record<string, { value: unknown }> };
}

export interface DocumentParameter {
  in: 'query' | 'header' | 'path' | 'cookie';
  name: string;
  required?: boolean;
  description?: string;
  schema: Schema;
}

export interface DocumentResponse {
  description: string;
  headers?: Record<string, { description?: string }>;
  content?: Content;
}

export interface DocumentOperation {
  operationId: string;
  tags: string[];
  summary: string;
  description?: string;
  security?: Record<string, string[]>[];
  parameters?: DocumentParameter[];
  requestBody?: { content: Content };
  responses: Record<string, DocumentResponse>;
}

export interface OpenApiDocument {
  info: { title: string; version: string; description: string };
  tags: { name: string; description: string }[];
  paths: Record<string, Partial<Record<'get' | 'post' | 'put' | 'delete', DocumentOperation>>>;
  components: {
    schemas: Record<string, Schema>;
    securitySchemes: Record<string, { description: string }>;
  };
}
