/**
 * What can be said about a field of the manifest besides its type: whether it must be there, its bounds, its syntax, its rules.
 * Said once, at the record component, and used by the validator, the CRD and the reference page. Start at {@link
 * io.forebay.api.schema.Syntax}. Annotations and constants only.
 */
@org.jspecify.annotations.NullMarked
package io.forebay.api.schema;
