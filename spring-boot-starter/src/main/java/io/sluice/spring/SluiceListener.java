package io.sluice.spring;

import io.sluice.spring.method.ListenerHints;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.aot.hint.annotation.Reflective;

/// The method works on messages of a queue or a topic: those of its lane.
///
/// ```java
/// @SluiceListener(queue = "documents", lane = "label", limit = "3")
/// void label(Document document, Job job) { … }
///
/// @SluiceListener(queue = "documents", lane = "failed", limit = "10")
/// void failed(Failure failure) { … }
/// ```
/// The parameters are the message's body, converted to the parameter's type, and as wished a [io.sluice.listener.lane.Job] and a
/// [io.sluice.listener.message.Message], in any order. Returning means done; throwing means failed, and the lane's settings say what then.
///
/// All methods with the same queue or topic are lanes of one listener. Everything that is not said here is said by the properties
/// `sluice.listener.sources.<queue or topic>.…`, which also override what is said here.
@Documented
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@Reflective(ListenerHints.class)
public @interface SluiceListener {
    /// The queue's name or URL. Placeholders (`${…}`) are resolved here and in all other texts.
    String queue() default "";

    /// The topic's name.
    String topic() default "";

    /// The name in the properties; by default that of the queue or topic.
    String source() default "";

    /// The lane's name. With more than one lane, the source's properties say which message belongs to which.
    String lane() default "main";

    /// How many messages of this lane are worked on at once.
    String limit() default "";
}
