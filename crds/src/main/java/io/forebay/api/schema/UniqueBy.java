package io.forebay.api.schema;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** No two entries of the list have the same value of this field: it names them (a list map, as Kubernetes calls it). */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.RECORD_COMPONENT)
public @interface UniqueBy {
    String value();
}
