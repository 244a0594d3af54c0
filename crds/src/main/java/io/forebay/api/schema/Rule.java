package io.forebay.api.schema;

import java.lang.annotation.ElementType;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * A rule between fields, as the API server checks it. The validator checks the same in Java and says the same; the table of
 * manifests in the tests holds both to it.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.TYPE, ElementType.RECORD_COMPONENT})
@Repeatable(Rule.All.class)
public @interface Rule {
    /** CEL; {@code self} is the object (or the value of the component). */
    String cel();

    /** What is wrong and what to do; one line. */
    String message() default "";

    /** CEL for the message, where it holds a value; instead of {@code message}. */
    String messageExpression() default "";

    /** Which field below the object is to blame, as {@code .min}; empty: the object itself. */
    String field() default "";

    /** Whether the fault is that {@code field} is not there: Kubernetes then puts "Required value: " before the message. */
    boolean requiredValue() default false;

    @Retention(RetentionPolicy.RUNTIME)
    @Target({ElementType.TYPE, ElementType.RECORD_COMPONENT})
    @interface All {
        Rule[] value();
    }
}
